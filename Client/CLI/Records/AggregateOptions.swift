internal import ArgumentParser
internal import Objects
internal import RoostModel

/// The aggregates to compute, of all records or of each group.
struct AggregateOptions: ParsableArguments {
    @Flag(help: "How many records there are.")
    var count = false
    @Option(help: "The sums of these paths; 0 of nothing.")
    var sum: String?
    @Option(help: "The averages of these paths, of the values that are not nil.")
    var average: String?
    @Option(help: "The smallest values of these paths.")
    var minimum: String?
    @Option(help: "The greatest values of these paths.")
    var maximum: String?

    /// One aggregate, and how it is shown.
    struct Column {
        let aggregate: FetchAggregate
        let name: String
        /// The path whose type the result has; `nil` if the type does not depend on a path.
        let path: String?
    }

    /// The aggregates in the order in which the help text lists them. Their names are those of the predicate language.
    var columns: [Column] {
        let count = count ? [Column(aggregate: .count(), name: "@count", path: nil)] : []
        return count + columns(sum, "@sum", FetchAggregate.sum, hasTypeOfPath: false)
            + columns(average, "@avg", FetchAggregate.average, hasTypeOfPath: false)
            + columns(minimum, "@min", FetchAggregate.minimum, hasTypeOfPath: true)
            + columns(maximum, "@max", FetchAggregate.maximum, hasTypeOfPath: true)
    }

    private func columns(
        _ list: String?, _ function: String, _ aggregate: (String) -> FetchAggregate, hasTypeOfPath: Bool
    ) -> [Column] {
        list.map { [String](paths: $0) }?.map { path in
            Column(aggregate: aggregate(path), name: "\(function).\(path)", path: hasTypeOfPath ? path : nil)
        } ?? []
    }
}
