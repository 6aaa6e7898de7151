internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

/// An error in the form in which it is reported: a status and a code for programs, and a message for users.
struct Failure {
    let status: ExitStatus
    /// The code of the error for programs, such as "busy".
    let code: String
    let message: String

    init(_ error: any Error, language: Language) {
        switch error {
        case let error as CommandError:
            (status, code, message) = (error.status, error.code, error.message(in: language))
        case let error as BookError:
            (status, code, message) = (Self.status(of: error), error.code, error.message(in: language))
        case let error as ReplicaError:
            (status, code, message) = (ExitStatus(error), error.code.description, error.message)
        case let error as ObjectError:
            (status, code, message) = (
                ExitStatus(error), "\(error.cause?.code.description ?? error.code.description)", "\(error)"
            )
        case let error as RoostError where error.code == .notConnected:
            (status, code) = (ExitStatus(error), error.code.description)
            message = language.pick(
                "Cannot reach the others: this group is on no server. Run \"cekikapeye share --server URL\".",
                fr: "Ce groupe n'est sur aucun serveur. Lancez « cekikapeye share --server URL ».")
        case let error as RoostError where error.serverCode == "unauthorized":
            (status, code) = (ExitStatus(error), "unauthorized")
            message = language.pick(
                "Cannot ask the server: it does not know this device any more. \"cekikapeye sync\" says why, and what to do.",
                fr: "Le serveur ne connaît plus cet appareil. « cekikapeye sync » dit pourquoi, et que faire.")
        case let error as RoostError:
            (status, code, message) = (
                ExitStatus(error), error.serverCode ?? error.code.description, error.message
            )
        default:
            (status, code, message) = (ExitStatus(error), "internal", "\(error)")
        }
    }

    private static func status(of error: BookError) -> ExitStatus {
        switch error.place {
        case .commandLine: .usage
        case .record: .noInput
        case .file: .dataError
        }
    }
}
