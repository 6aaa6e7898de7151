internal import RoostModel

/// The order of a request, asked about two rows at a time: what orders them is read once for each.
final class ResultsOrder {
    private let keys: [FetchCompiler.SortKey]
    private var known: [ObjectID: [Value]]
    private let read: (ObjectID) throws -> [Value]?

    /// - Parameters:
    ///   - known: What orders rows, as far as it was read.
    ///   - read: Reads it of another row; `nil` for one that is gone.
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
