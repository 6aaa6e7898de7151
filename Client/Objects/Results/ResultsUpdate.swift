/// One step of live results: all that changed at once, such as by a save or by a batch of pulled records.
public struct ResultsUpdate<ID: Hashable & Sendable>: Hashable, Sendable {
    /// What changed since the step before.
    public let difference: ResultsDifference<ID>
    /// The result after the step: ``difference`` applied to the result before it.
    public let snapshot: ResultsSnapshot<ID>
    /// Where the changes came from: several where changes of different origins were seen together.
    public let origins: Set<ChangeOrigin>

    /// Whether the rows before the step are not known: somebody else wrote before they were read. ``difference`` is then that of an
    /// empty result, and what was shown by ``FetchedResultsController/sections`` is to be shown anew.
    ///
    /// It never is after a look at ``FetchedResultsController/snapshot``.
    public let isReset: Bool

    /// A step to a result, by changes of these origins.
    public init(
        difference: ResultsDifference<ID>, snapshot: ResultsSnapshot<ID>, origins: Set<ChangeOrigin>,
        isReset: Bool = false
    ) {
        self.difference = difference
        self.snapshot = snapshot
        self.origins = origins
        self.isReset = isReset
    }
}
