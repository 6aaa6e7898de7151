internal import Replica
internal import RoostProtocol
internal import Session

/// Remembers the identity of a replica's server. A refusal by another server, which has no data or has taken over the address, names that
/// in its message.
struct ServerRecognition {
    private let replica: Replica
    private let server: ServerSeen
    /// The identity that the replica has stored, once it was read.
    private var known: String??

    init(_ replica: Replica, _ server: ServerSeen) {
        self.replica = replica
        self.server = server
    }

    /// Records the server of an answer.
    ///
    /// - Returns: The answer. The message of a refusal by another server than before names that.
    mutating func recognise(
        _ answer: Result<SyncDriver.Answer, SyncFailure>
    ) -> Result<SyncDriver.Answer, SyncFailure> {
        guard let seen = server.identity else { return answer }
        let known = self.known ?? (try? replica.serverIdentity()) ?? nil
        self.known = .some(known)
        guard known != seen else { return answer }
        switch answer {
        case .success:
            // A later answer repeats this after a failure.
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
