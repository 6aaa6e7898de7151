internal import Replica
internal import RoostProtocol
internal import Session

/// Learns which server a replica synchronises with, and says so where another one refuses: one without its data, or one that has taken the
/// address.
struct ServerRecognition {
    private let replica: Replica
    private let server: ServerSeen
    /// The identity that the replica has stored, once it was looked up.
    private var known: String??

    init(_ replica: Replica, _ server: ServerSeen) {
        self.replica = replica
        self.server = server
    }

    /// - Returns: The answer; a refusal by another server than before with that in its message.
    mutating func recognise(
        _ answer: Result<SyncDriver.Answer, SyncFailure>
    ) -> Result<SyncDriver.Answer, SyncFailure> {
        guard let seen = server.identity else { return answer }
        let known = self.known ?? (try? replica.serverIdentity()) ?? nil
        self.known = .some(known)
        guard known != seen else { return answer }
        switch answer {
        case .success:
            // A failure here is made up for by a later answer.
            try? replica.setServerIdentity(seen)
            self.known = .some(seen)
            return answer
        case .failure(.refused(var error)):
            guard let known else { return answer }
            error.message +=
                " Another server answers than before, or one without its data: its identity is \(seen), expected \(known)."
            return .failure(.refused(error))
        case .failure: return answer
        }
    }
}
