internal import GRDB
internal import RoostModel

/// Rows that their visible table did not take while something was derived, for an index that its user made: what they held.
final class Refusals {
    struct Refused {
        let key: RecordKey
        let put: [UInt8]
        let isIrregular: Bool
        let reason: String
    }

    private let rows: RowStore
    private var found: [RecordKey: Refused] = [:]

    init(_ rows: RowStore) {
        self.rows = rows
    }

    var isEmpty: Bool { found.isEmpty }
    /// In the order of keys.
    var all: [Refused] { found.values.sorted { $0.key < $1.key } }

    /// Remembers a record with all that it holds now. One that cannot be read is left where it is: the look at contents finds it.
    func note(_ key: RecordKey, _ refusal: DatabaseError) throws {
        guard found[key] == nil, let put = try rows.readablePut(of: key) else { return }
        found[key] = Refused(
            key: key, put: put, isIrregular: try rows.isIrregular(key), reason: RowStore.reason(of: refusal))
    }
}
