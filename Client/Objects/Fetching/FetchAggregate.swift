/// A value computed from a group of objects, such as a count or a sum.
public struct FetchAggregate: Hashable, Sendable {
    enum Function: Hashable, Sendable { case count, sum, average, minimum, maximum }

    let function: Function
    let path: String?

    /// Counts the objects; with a path, the objects that have a value there.
    public static func count(_ path: String? = nil) -> FetchAggregate { FetchAggregate(function: .count, path: path) }
    /// Adds up the values; 0 without values. A sum beyond 64 bits becomes a double.
    public static func sum(_ path: String) -> FetchAggregate { FetchAggregate(function: .sum, path: path) }
    /// Averages the values that are not nil, as a double; nil without values.
    public static func average(_ path: String) -> FetchAggregate { FetchAggregate(function: .average, path: path) }
    /// Selects the smallest value; nil without values.
    public static func minimum(_ path: String) -> FetchAggregate { FetchAggregate(function: .minimum, path: path) }
    /// Selects the greatest value; nil without values.
    public static func maximum(_ path: String) -> FetchAggregate { FetchAggregate(function: .maximum, path: path) }
}
