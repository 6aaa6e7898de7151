internal import GRDB
internal import RoostModel

/// The content of rows that their visible table refused while visibility was derived, because of an index that the user made.
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
    /// The refused rows, in the order of their keys.
    var all: [Refused] { found.values.sorted { $0.key < $1.key } }

    /// Records a refused row with its content and its reason.
    ///
    /// A record that cannot be read stays where it is stored: the scrub of contents finds it.
    func note(_ key: RecordKey, _ refusal: DatabaseError) throws {
        guard found[key] == nil, let put = try rows.readablePut(of: key) else { return }
        found[key] = Refused(
            key: key, put: put, isIrregular: try rows.isIrregular(key), reason: RowStore.reason(of: refusal))
    }
}
