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

    /// Tokens of the replica, by one of which a restored server may know it.
    struct TokenSearch {
        /// The present one first, then the earlier ones, newest first.
        let tokens: [String]
        /// The server's refusal of the present one.
        let refusal: ProtocolError

        /// As many as a server looks at (protocol.md §8.3).
        static let countMax = 64

        var request: Request { .findToken(tokens.map { SHA256Digest.of(Array($0.utf8)) }) }
    }

    /// Begins a search for a token that the server knows, where it refuses the present one and the replica has had others.
    mutating func searchesToken(after failure: SyncFailure, _ order: Order) -> Bool {
        guard case .refused(let error) = failure, error.code == .unauthorized, !token.isEmpty, order.token == token
        else { return false }
        #if ROOST_SEEDED_BUGS
            if SeededBug.earlierTokensNotTried.isOn { return false }
        #endif
        let earlier = ((try? replica.earlierTokens()) ?? []).filter { $0 != token }
        guard !earlier.isEmpty else { return false }
        tokenSearch = TokenSearch(tokens: [token] + earlier.prefix(TokenSearch.countMax - 1), refusal: error)
        return true
    }

    /// The end of a search.
    enum SearchEnd {
        case order(Order)
        case failed(SyncFailure)
    }

    /// Asks for a new identity with the token that the server knows, unless it knows none, or the present one, which a further attempt will
    /// show.
    mutating func foundToken(_ index: Int?, _ lane: SyncLane, at now: Moment) -> SearchEnd {
        guard let index, index > 0, let search = tokenSearch, search.tokens.indices.contains(index) else {
            return .failed(failureOfSearch(index))
        }
        do {
            let nonce = try replica.renewalNonce(fresh: freshNonce)
            let request = Request.renew(reason: renewalCause.words, nonce: nonce)
            return .order(send(request, lane, with: search.tokens[index], at: now))
        } catch {
            return .failed(SyncFailure(ofReplica: error))
        }
    }

    private func failureOfSearch(_ index: Int?) -> SyncFailure {
        guard index == nil, var error = tokenSearch?.refusal else {
            return .unreachable(message: "The server did not know the token of this device, and knows it again.")
        }
        error.message += " It knows none of the earlier tokens of this file either."
        return .refused(error)
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

extension SyncDriver.Request {
    /// The token to send it with, whatever the present one is: none.
    var token: String? { if case .findToken = self { "" } else { nil } }
}
