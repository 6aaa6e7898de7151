internal import RoostModel
internal import RoostProtocol

extension PushReply.Result {
    var isAccepted: Bool { if case .accepted = self { true } else { false } }
}

extension PushReply.Refusal {
    /// Whether the transaction was refused because a record that it edits was purged.
    var isGone: Bool { code == .gone }

    /// Text of the journal.
    var reason: String { "\(message) (\(code))" }
}

extension [PushReply.Outcome] {
    /// The stamps that changes met, by the index of each change in its transaction.
    ///
    /// - Parameter offset: How many changes of the transaction earlier pushes carried. The server counts from the first of this push.
    func stamps(_ kind: PushReply.Outcome.Kind, after offset: Int) -> [Int: HybridTimestamp] {
        Dictionary(lazy.filter { $0.kind == kind }.map { ($0.index + offset, $0.other) }) { first, _ in first }
    }
}
