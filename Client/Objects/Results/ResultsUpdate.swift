/// One step of live results: all changes that arrive at once, such as by a save or by a batch of pulled records.
public struct ResultsUpdate<ID: Hashable & Sendable>: Hashable, Sendable {
    /// The changes since the previous step.
    public let difference: ResultsDifference<ID>
    /// The result after the step: ``difference`` applied to the previous result.
    public let snapshot: ResultsSnapshot<ID>
    /// The origins of the changes; several where changes of different origins were observed together.
    public let origins: Set<ChangeOrigin>

    /// Whether the rows before the step are unknown, because others wrote before they were read. ``difference`` then starts from
    /// an empty result, and a view of ``FetchedResultsController/sections`` has to be rebuilt.
    ///
    /// It is never true after an access to ``FetchedResultsController/snapshot``.
    public let isReset: Bool

    /// Makes a step to a result, by changes of some origins.
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
