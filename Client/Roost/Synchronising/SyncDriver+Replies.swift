internal import Replica
internal import RoostProtocol
internal import Session

extension SyncDriver {
    static let unsettled =
        "Cannot use the server's answer: it does not say of each transaction what became of it. Check the server's version."

    /// Whether a reply says of each transaction of its push what became of it. One that does not settles nothing: to go by it would seal
    /// again what the server has stored, under stamps that it has seen.
    func settles(_ answer: PushReply, _ request: Request) -> Bool {
        guard answer.number == sealed?.number else { return true }
        if let counts = sealed?.changeCounts, answer.results.last != .staged {
            return counts.count == answer.results.count
        }
        let body: [UInt8]
        switch request {
        case .push(let sent), .pushAndPull(let sent, _): body = sent
        case .renew, .pull, .pullAhead, .pushReply, .schema, .recover, .findToken: return true
        }
        guard let push = try? PushRequest(protobuf: body) else { return true }
        // Only a part waits for the rest of its transaction.
        return push.transactions.count == answer.results.count
            && zip(push.transactions, answer.results).allSatisfy { $0.continues || $1 != .staged }
    }

    /// Takes what was found damaged while something was sealed or taken in into the report.
    mutating func note(_ damage: OutboxDamage?) {
        guard let damage else { return }
        report.refused += damage.refused
        report.notices += damage.notices
        // Records may have gone back to what is confirmed, and have to be pulled again.
        pushSteps += 1
        noteCheckpoint()
    }
}
