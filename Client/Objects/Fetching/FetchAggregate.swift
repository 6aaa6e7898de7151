/// A number that is made of a group of objects.
public struct FetchAggregate: Hashable, Sendable {
    enum Function: Hashable, Sendable { case count, sum, average, minimum, maximum }

    let function: Function
    let path: String?

    /// How many objects there are; with a path, how many of them have a value there.
    public static func count(_ path: String? = nil) -> FetchAggregate { FetchAggregate(function: .count, path: path) }
    /// The sum; 0 of nothing. What exceeds 64 bits becomes a double.
    public static func sum(_ path: String) -> FetchAggregate { FetchAggregate(function: .sum, path: path) }
    /// The average of the values that are not nil, a double; nil of none.
    public static func average(_ path: String) -> FetchAggregate { FetchAggregate(function: .average, path: path) }
    /// The smallest value; nil of none.
    public static func minimum(_ path: String) -> FetchAggregate { FetchAggregate(function: .minimum, path: path) }
    /// The greatest value; nil of none.
    public static func maximum(_ path: String) -> FetchAggregate { FetchAggregate(function: .maximum, path: path) }
}
