internal import GRDB
internal import RoostModel

/// Compares the content of confirmed records with the server's hashes, in slices: SQLite has no checksums of row contents.
///
/// A record with a pending change has other content than the server's, and one whose row does not reproduce its put's bytes
/// (``RowExtra/isIrregular``) cannot be compared. All reads of a slice have to see one snapshot.
struct ContentScrub {
    private let database: Database
    private let rows: RowStore
    private let stamps: EffectiveStamps
    private let hasWaiting: Bool
    private let hasIrregular: Bool

    /// The limits of a slice, in records and in bytes of content: some 2 ms.
    static let recordsAtOnce = 500
    static let bytesAtOnce = 1 << 18

    /// The findings of one slice.
    struct Slice {
        /// Records whose content is not the confirmed one, or whose confirmed slots cannot be read.
        var damaged: [RecordKey] = []
        /// Confirmed slots that name no record.
        var nameless = 0
        /// Records whose content was compared.
        var compared = 0
        /// Records whose content cannot be compared with its hash.
        var irregular: [RecordKey] = []
        /// The start of the next slice; `nil` if this was the last.
        var next: ScrubProgress?
        /// Whether the sum of all confirmed slots differs from the digest. Set by the last slice.
        var digestDiffers = false

        /// Whether there is corruption beyond single records.
        var isWrongAsAWhole: Bool { nameless > 0 || digestDiffers }
        var isSound: Bool { damaged.isEmpty && !isWrongAsAWhole }
    }

    init(_ database: Database, _ layout: Layout) throws {
        self.database = database
        rows = try RowStore(database, layout)
        stamps = try EffectiveStamps(readingMarks: database, replica: try StateStore(database: database).replica)
        hasWaiting = try !database.isEmpty("roost_outbox") || !database.isEmpty("roost_mark")
        hasIrregular = try !database.isEmpty("roost_extra")
    }

    /// Checks the records from `place` on.
    ///
    /// - Parameter place: The start; `nil` for the first record.
    func slice(from place: ScrubProgress?) throws -> Slice {
        let digest = try StateStore(database: database).digest
        var place = place ?? ScrubProgress(digest: digest)
        var slice = Slice()
        let query = try database.query(
            """
            SELECT entity, id, put_stamp IS NOT NULL, put_stamp, hash, del_stamp FROM roost_fact
            WHERE (entity, id) > (?, ?) ORDER BY entity, id LIMIT \(Self.recordsAtOnce)
            """)
        query.bind(1, place.entity)
        query.bind(2, identifierBytes: place.id)
        var count = 0
        var bytes = 0
        var isCut = false
        while try !isCut && query.step() {
            count += 1
            place.entity = query.integer(0)
            place.id = query.bytes(1)
            guard let key = query.key(0) else {
                slice.nameless += 1
                continue
            }
            var slots = SlotStamps(delete: query.stamp(5))
            if let stamp = query.stamp(3), let hash = query.hash(4) { slots.put = .init(stamp: stamp, hash: hash) }
            place.sum.replace(SlotStamps(), with: slots, of: key)
            if query.integer(2) != 0 { bytes += try compare(key, slots.put?.hash, &slice) }
            isCut = bytes > Self.bytesAtOnce
        }
        query.reset()
        if isCut || count == Self.recordsAtOnce {
            slice.next = place
        } else {
            // The sum is only comparable if the digest has not changed since the first slice.
            slice.digestDiffers = place.digest == digest && place.sum != digest
        }
        return slice
    }

    /// Returns whether a record's content differs from the confirmed one.
    func isDamaged(_ key: RecordKey) throws -> Bool {
        let query = try database.query(
            "SELECT put_stamp IS NOT NULL, hash FROM roost_fact WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        guard let (hasPut, hash) = try query.first({ ($0.integer(0) != 0, $0.hash(1)) }), hasPut else { return false }
        var slice = Slice()
        _ = try compare(key, hash, &slice)
        return !slice.damaged.isEmpty
    }

    /// Returns whether a record has no row. A corrupt index may only omit it.
    func hasNoRow(_ key: RecordKey) throws -> Bool {
        do {
            return try rows.encodedPut(of: key) == nil
        } catch is ContentError {
            return false
        }
    }

    /// Compares a record's content with its confirmed hash.
    ///
    /// - Returns: The number of compared bytes.
    private func compare(_ key: RecordKey, _ hash: ContentHash?, _ slice: inout Slice) throws -> Int {
        if hasWaiting, try stamps.pending(key) != .init() { return 0 }
        let content: [UInt8]?
        do {
            if hasIrregular, try rows.isIrregular(key) {
                slice.irregular.append(key)
                return 0
            }
            content = try rows.encodedPut(of: key)
        } catch is ContentError {
            // The record's fields that the schema does not have, stored next to its row, cannot be decoded any more.
            content = nil
        }
        // Missing records need user action and do not count as corrupt.
        if content == nil, try MissingRecords(database: database, layout: rows.layout).contains(key) { return 0 }
        slice.compared += 1
        if content.map({ ContentHash(of: $0) }) != hash || hash == nil { slice.damaged.append(key) }
        return content?.count ?? 0
    }
}
