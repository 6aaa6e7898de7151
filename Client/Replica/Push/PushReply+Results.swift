internal import RoostModel
internal import RoostProtocol

extension PushReply.Result {
    var isAccepted: Bool { if case .accepted = self { true } else { false } }
}

extension PushReply.Refusal {
    /// Whether the transaction was refused because a record that it edits was purged.
    var isGone: Bool { code == .gone }

    /// The reason as text of the journal.
    var reason: String { "\(message) (\(code))" }
}

extension [PushReply.Outcome] {
    /// Returns the stamps that changes met, by the index of each change in its transaction.
    ///
    /// - Parameter offset: The number of changes of the transaction in earlier pushes. The server counts from the first change of
    ///   this push.
    func stamps(_ kind: PushReply.Outcome.Kind, after offset: Int) -> [Int: HybridTimestamp] {
        Dictionary(lazy.filter { $0.kind == kind }.map { ($0.index + offset, $0.other) }) { first, _ in first }
    }
}
