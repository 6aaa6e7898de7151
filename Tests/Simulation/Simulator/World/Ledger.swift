internal import RoostModel

/// Every change that the server ever accepted, kept outside the server: what the oracle computes from.
package struct Ledger: Sendable {
    struct Put: Hashable, Sendable {
        var stamp: HybridTimestamp
        var hash: ContentHash
        var base: HybridTimestamp?
        var encoded: [UInt8]
        /// The sequence under which it was accepted.
        var sequence: UInt64
    }

    struct Delete: Hashable, Sendable {
        var stamp: HybridTimestamp
        var sequence: UInt64
    }

    /// What is known of one record.
    struct History: Hashable, Sendable {
        var puts: [Put] = []
        var deletes: [Delete] = []

        /// The winner, by stamp and then by content hash; written down here once more, apart from the code it checks.
        func put(upTo sequence: UInt64 = .max) -> Put? {
            puts.filter { $0.sequence <= sequence }.max { left, right in
                left.stamp == right.stamp ? left.hash < right.hash : left.stamp < right.stamp
            }
        }

        func delete(upTo sequence: UInt64 = .max) -> HybridTimestamp? {
            deletes.filter { $0.sequence <= sequence }.map(\.stamp).max()
        }
    }

    private(set) var records: [RecordKey: History] = [:]
    private(set) var changes = 0

    mutating func accept(_ change: Change, sequence: UInt64) {
        var history = records[change.key] ?? History()
        switch change.kind {
        case .put(let encoded, let base):
            let hash = ContentHash(of: encoded)
            guard !history.puts.contains(where: { $0.stamp == change.stamp && $0.hash == hash }) else { return }
            history.puts.append(
                Put(stamp: change.stamp, hash: hash, base: base, encoded: encoded, sequence: sequence))
        case .delete:
            guard !history.deletes.contains(where: { $0.stamp == change.stamp }) else { return }
            history.deletes.append(Delete(stamp: change.stamp, sequence: sequence))
        }
        changes += 1
        records[change.key] = history
    }

    /// The content of an accepted put.
    func content(_ key: RecordKey, _ put: SlotStamps.PutStamp) -> [UInt8]? {
        records[key]?.puts.first { $0.stamp == put.stamp && $0.hash == put.hash }?.encoded
    }

    func hasDelete(_ key: RecordKey, _ stamp: HybridTimestamp) -> Bool {
        records[key]?.deletes.contains { $0.stamp == stamp } ?? false
    }

    /// The slots that the server must have.
    func slots(of key: RecordKey) -> SlotStamps {
        guard let history = records[key] else { return SlotStamps() }
        return SlotStamps(
            put: history.put().map { .init(stamp: $0.stamp, hash: $0.hash) }, delete: history.delete())
    }
}
