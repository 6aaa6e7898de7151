/// The classes of errors of `roost.h`, with their numbers there.
enum ErrorKind: Int32, Hashable, Sendable, CaseIterable {
    case misuse = 1
    case closed, busy, notFound, invalid, refused, unavailable, file, timeout, cancelled, forked
    /// A defect of Roost, or memory that is used up.
    case `internal`

    /// The name of the class in an error object.
    var name: String { "\(self)" }

    /// The next step after an error of the class, for codes without a step of their own.
    var nextStep: String {
        switch self {
        case .misuse: "Correct the call: roost.h describes what the function takes."
        case .closed: "Open the replica again, and use the new handle."
        case .busy: "Wait until the other call, program or session is done, and try again."
        case .notFound: "Check the name."
        case .invalid: "Correct the value, and call again."
        case .refused: "Ask the person or change the record that the message names."
        case .unavailable: "Check the connection and the server's address, and try again. Local work is not affected."
        case .file: "Check the path and the disk."
        case .timeout: "Try again, or give it more time."
        case .cancelled: "Call again when the result is still wanted."
        case .forked:
            "Start the child with exec (in Python: multiprocessing with the method \"spawn\"), and open the file there."
        case .internal: "Report the message to the project."
        }
    }
}
