public import RoostModel

/// One group of objects, with what was asked for of it.
public struct FetchGroup: Hashable, Sendable {
    /// What the objects of the group have in common: a value for each path that was grouped by.
    public let values: [Value]
    /// The aggregates, in the order in which they were asked for.
    public let aggregates: [Value]
}
