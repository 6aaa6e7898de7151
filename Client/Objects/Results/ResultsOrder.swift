internal import RoostModel

/// The order of a request, which compares two rows at a time. The sort keys of each row are read once.
final class ResultsOrder {
    private let keys: [FetchCompiler.SortKey]
    private var known: [ObjectID: [Value]]
    private let read: (ObjectID) throws -> [Value]?

    /// Makes an order.
    ///
    /// - Parameters:
    ///   - keys: The sort keys of the request.
    ///   - known: The values of the sort keys of rows that are read already.
    ///   - read: Reads the values of the sort keys of another row; returns `nil` for a row that is gone.
    init(
        keys: [FetchCompiler.SortKey], known: [ObjectID: [Value]], read: @escaping (ObjectID) throws -> [Value]?
    ) {
        self.keys = keys
        self.known = known
        self.read = read
    }

    func isBefore(_ left: ObjectID, _ right: ObjectID) throws -> Bool {
        if let first = try values(left), let second = try values(right) {
            for (index, key) in keys.enumerated() {
                let order = key.compare(first[index], second[index])
                if order != 0 { return key.descriptor.isAscending ? order < 0 : order > 0 }
            }
        }
        return (left.record, left.store.number) < (right.record, right.store.number)
    }

    private func values(_ id: ObjectID) throws -> [Value]? {
        if let values = known[id] { return values }
        let values = try read(id)
        known[id] = values
        return values
    }
}
