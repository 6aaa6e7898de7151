internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// The device tokens of a replica: secrets, of which one is in force.
struct DeviceTokens {
    /// The token in force.
    private(set) var present = ""
    /// The former token, while a rotation may not have reached the server.
    private(set) var earlier: String?
    /// The reason of the request for a new identity.
    var cause = RenewalCause.copied
    /// The search for a token that the server knows.
    private var search: SyncDriver.TokenSearch?

    /// The request that asks the server which of the tokens it knows.
    var question: SyncDriver.Request? { search?.request }

    mutating func begin(_ start: SessionStart) { (present, earlier) = (start.token, start.earlierToken) }

    mutating func renew(_ token: String) { (present, earlier) = (token, nil) }

    /// Determines the result of a rotation whose answer was lost: a server that has stored it knows the new token, another one only the
    /// former.
    ///
    /// - Returns: The result for the session. A token that is discarded for the former one is no refusal of this device.
    mutating func judge(
        _ order: SyncDriver.Order, _ result: Result<SyncDriver.Answer, SyncFailure>, _ replica: Replica
    ) -> Result<SyncDriver.Answer, SyncFailure> {
        switch result {
        case .success:
            guard earlier != nil, order.token == present else { return result }
            earlier = nil
            // The next session repeats it after a failure.
            try? replica.settleToken()
            return result
        case .failure(.refused(let error)) where error.code == .unauthorized:
            if let earlier, order.token == present {
                try? replica.dropToken(present)
                renew(earlier)
            } else if order.token == present {
                // The user may have restored another token file.
                guard let found = try? replica.membership()?.token, !found.isEmpty, found != present else {
                    return result
                }
                present = found
            }
            return .failure(
                .unreachable(message: "The server does not know the token of this device; it goes on with another one.")
            )
        case .failure: return result
        }
    }

    /// Starts a search for a token that the server knows, where it refuses the present one and the replica has had others.
    mutating func searches(after failure: SyncFailure, of order: SyncDriver.Order, _ replica: Replica) -> Bool {
        guard case .refused(let error) = failure, error.code == .unauthorized, !present.isEmpty, order.token == present
        else { return false }
        #if ROOST_SEEDED_BUGS
            if SeededBug.earlierTokensNotTried.isOn { return false }
        #endif
        let others = ((try? replica.earlierTokens()) ?? []).filter { $0 != present }
        guard !others.isEmpty else { return false }
        search = SyncDriver.TokenSearch(
            tokens: [present] + others.prefix(SyncDriver.TokenSearch.countMax - 1), refusal: error)
        return true
    }

    /// The earlier token that the server knows.
    ///
    /// - Parameter index: The index of the token that the server knows; `nil` where it knows none.
    /// - Throws: ``SyncFailure`` where the server knows none, or the present one. A further attempt will show the latter.
    func found(_ index: Int?) throws(SyncFailure) -> String {
        guard let search, let index else {
            guard index == nil, var error = search?.refusal else { throw Self.isKnownAgain }
            error.message += " It knows none of the earlier tokens of this file either."
            throw .refused(error)
        }
        guard index > 0, search.tokens.indices.contains(index) else { throw Self.isKnownAgain }
        return search.tokens[index]
    }

    private static let isKnownAgain = SyncFailure.unreachable(
        message: "The server did not know the token of this device, and knows it again.")
}

extension SyncDriver {
    /// Tokens of the replica. A server that was restored from a backup may know one of them.
    struct TokenSearch {
        /// The present one first, then the earlier ones, newest first.
        let tokens: [String]
        /// The server's refusal of the present one.
        let refusal: ProtocolError

        /// The number of tokens that a server checks (protocol.md §8.3).
        static let countMax = 64

        var request: Request { .findToken(tokens.map { SHA256Digest.of(Array($0.utf8)) }) }
    }
}

extension SyncDriver.Request {
    /// The token to send the request with, where that is not the present one: empty for none.
    var token: String? { if case .findToken = self { "" } else { nil } }
}
