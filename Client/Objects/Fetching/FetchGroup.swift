public import RoostModel

/// One group of objects with its aggregates.
public struct FetchGroup: Hashable, Sendable {
    /// The values that the objects of the group have in common, one for each path of the grouping.
    public let values: [Value]
    /// The aggregates, in the order of the call.
    public let aggregates: [Value]
}
