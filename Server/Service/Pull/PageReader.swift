internal import RoostModel
internal import RoostProtocol

/// A reader of the content of one page: its records, the identifiers of purged records, and its end.
struct PageReader {
    let snapshot: any StoreSnapshot
    let scope: StoredScope
    let replica: ReplicaID
    let since: CheckpointSeal.Position
    /// The sequence after which the page's records begin.
    let start: UInt64
    /// The sequence up to which the replica has learned the identifiers of purged records.
    let known: UInt64
    /// The maximum bytes of records and identifiers, unless one sequence alone is larger.
    let bytesMax: Int

    /// The contents of a page.
    struct Contents {
        var builder: PageBuilder
        /// The last sequence of the page.
        var end: UInt64
        var hasMore: Bool
        /// The encoded records that are out of order: those of ``PageBuilder/keys`` that were written again.
        var others: [[UInt8]] = []
    }

    /// Reads a page. It may contain identifiers alone although another page follows.
    func read() throws -> Contents {
        var purged = try purged(bytesMax)
        let contents = try read(purged.identifiers, upTo: purged.upTo, bytesMax: bytesMax)
        guard contents.hasMore, !purged.identifiers.isEmpty else { return contents }
        // With the identifier alone, the replica would lack its own record until a later page, and not see the change that
        // won over it.
        var again: [RecordKey: StoredRecord] = [:]
        for index in purged.identifiers.indices.prefix(contents.builder.keys.count) {
            guard let stored = try snapshot.record(purged.identifiers[index].key, in: scope.key) else { continue }
            again[purged.identifiers[index].key] = stored
            purged.identifiers[index].size += stored.message.count + 8
        }
        guard !again.isEmpty else { return contents }
        var shorter = try read(purged.identifiers, upTo: purged.upTo, bytesMax: bytesMax)
        shorter.others = shorter.builder.keys.compactMap { key in
            guard let stored = again[key], stored.sequence > shorter.end else { return nil }
            return stored.message
        }
        return shorter
    }

    /// Reads a page for a client that rejects identifiers alone before another page. Such identifiers come with a record of
    /// the scope in its current state. If the scope has no records, the page is the last.
    func readWithRecord() throws -> Contents {
        var contents = try read()
        guard contents.hasMore, contents.builder.hasNoRecords, contents.others.isEmpty else { return contents }
        try snapshot.forEachRecord(in: scope.key, after: 0) { _, _, message in
            contents.others = [Array(message)]
            return false
        }
        guard contents.others.isEmpty else { return contents }
        return try read(purged(.max).identifiers, upTo: scope.head.sequence, bytesMax: .max)
    }

    private func read(
        _ purged: [PageBuilder.Purged], upTo: UInt64, bytesMax: Int
    ) throws -> Contents {
        var builder = PageBuilder(
            for: replica, after: start, echo: since.echo, purged: purged, upTo: upTo, bytesMax: bytesMax)
        if start < upTo {
            try snapshot.forEachRecord(in: scope.key, after: start) { sequence, author, message in
                #if ROOST_SEEDED_BUGS
                    if SeededBug.sequenceOutOfOrder.isOn, sequence == upTo, sequence % 4 == 0 { return true }
                #endif
                return builder.add(message, sequence: sequence, author: author)
            }
        }
        builder.addRest()
        let end = builder.hasMore ? builder.lastWhole : upTo
        return Contents(builder: builder, end: end, hasMore: end < scope.head.sequence)
    }

    /// Returns the identifiers that the page may contain, and the sequence up to which they are complete.
    private func purged(_ bytesMax: Int) throws -> (identifiers: [PageBuilder.Purged], upTo: UInt64) {
        var identifiers: [PageBuilder.Purged] = []
        var upTo = scope.head.sequence
        guard scope.past.purged > known else { return (identifiers, upTo) }
        let countMax = bytesMax / PageBuilder.identifierBytesMax
        try snapshot.forEachPurged(in: scope.key, after: known) { sequence, key in
            if let last = identifiers.last, last.sequence < sequence, identifiers.count > countMax {
                upTo = last.sequence
                return false
            }
            identifiers.append(.init(sequence: sequence, key: key))
            return true
        }
        return (identifiers, upTo)
    }
}
