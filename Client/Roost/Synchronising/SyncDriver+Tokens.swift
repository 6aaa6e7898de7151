internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

extension SyncDriver {
    /// Finds out what became of a rotation whose answer was lost: a server that has heard of it knows the new token, another one only the
    /// token before.
    mutating func judgeToken(_ order: Order, _ result: Result<Answer, SyncFailure>) -> Result<Answer, SyncFailure> {
        switch result {
        case .success:
            guard earlierToken != nil, order.token == token else { return result }
            earlierToken = nil
            // A failure here is left for the next session.
            try? replica.settleToken()
            return result
        case .failure(.refused(let error)) where error.code == .unauthorized:
            if let earlier = earlierToken, order.token == token {
                try? replica.dropToken(token)
                (token, earlierToken) = (earlier, nil)
            } else if order.token == token {
                // A person may have put back another one.
                guard let found = try? replica.membership()?.token, !found.isEmpty, found != token else {
                    return result
                }
                token = found
            }
            return .failure(
                .unreachable(message: "The server does not know the token of this device; it goes on with another one.")
            )
        case .failure: return result
        }
    }

    /// A token file that belongs to another replica must not bring this one's records into another scope.
    func checkScope(of registration: Registration) throws {
        guard let scope = try replica.membership()?.scope, scope != registration.scope else { return }
        throw ReplicaError(
            .corrupt,
            "Cannot synchronise \"\(replica.path)\": its token file \"\(replica.path)-token\" is of another scope. Put the right one back, "
                + "or get an invite and run: roost join LINK FILE")
    }

    /// Unlike that of any other replica, session, or renewal of this session.
    var freshNonce: String {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(seed)
        bytes.appendBigEndian(UInt64(orders))
        return Hex.encode(bytes)
    }
}
