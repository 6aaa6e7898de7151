internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Operations beyond joining: replacing a record's slots with those of the server, and forgetting a record.
extension PageApplication {
    /// Joins a page, and forgets the records that the server had purged before. For a record that was purged and created again,
    /// only the server's state counts. Changes of this device that it beats are journaled as usual.
    ///
    /// - Parameter isFirst: Whether the replica has never completed a pull, so that the server has not reported yet what became
    ///   of its pushed changes.
    mutating func apply(_ records: [RecordState], purged: [RecordKey], isFirst: Bool) throws {
        guard !purged.isEmpty else { return try merge(records) }
        let lost = LostRecords(database: database)
        let both = Set(purged).intersection(records.map(\.key))
        let told = isFirst ? [] : Set(purged)
        let anew = try both.filter { try lost.state(of: $0) == nil }
        try forget(purged: purged.filter { !anew.contains($0) }, told)
        for record in records {
            if anew.contains(record.key) { try applyPurged(purged: record, told) } else { try merge(record) }
        }
        if report.journaled > 0 {
            try journal.event(
                "resync", "\(report.journaled) changes are not on the server any more; the journal has them.")
        }
    }

    /// Replaces a record's confirmed slots with those of the server, even where that removes a slot. The content is replaced as
    /// well, unless a later local put is pending.
    ///
    /// - Parameter isAsked: Whether the row is missing and the user has to decide if the record was deleted. No row is written
    ///   then, unless the put has changed since.
    mutating func replace(with state: RecordState, isAsked: Bool = false) throws {
        let key = state.key
        let before = try stamps.confirmed(key)
        let after = state.stamps
        see(after)
        let isNewer = state.put.map { put in before.put.map { $0.stamp < put.stamp } ?? true } ?? false
        let pending =
            !hasPending ? .init() : try isNewer ? realPending(of: key, before) : stamps.pending(key)
        if isNewer, let put = state.put {
            try applyPut(put, of: key, before: before, pending: pending, after: after)
        } else {
            if before.put != after.put { try rememberBase(before.put?.stamp, of: key) }
            if pending.put == nil, !isAsked || before.put != after.put {
                try correctContent(of: key, to: state.put, after.put?.hash, isSame: before.put == after.put)
            } else if pending.put != nil, try rows.place(of: key) == .nowhere, try !rows.isUnfit(key) {
                // The table was dropped, and the pending put is in a push or lost. The missing row is not taken for a delete.
                try MissingRecords(database: database, layout: layout).add(key)
            }
        }
        try recordBeatenDelete(key, before: before, after: after, pending: pending)
        if after != before {
            report.applied += 1
            try confirm(after, of: key, insteadOf: before)
        } else {
            report.repeated += 1
        }
        try dropPending(key, pending: pending, after: after)
        try recordChange(of: key, after)
    }

    /// Forgets the confirmed slots of a record that the server does not have, and removes its row. A pending local put keeps the
    /// row, and remembers the put that it was made from.
    ///
    /// - Parameters:
    ///   - delete: A delete slot to keep.
    ///   - comesAgain: Whether a page is about to bring the record again.
    mutating func forget(_ key: RecordKey, except delete: HybridTimestamp? = nil, comesAgain: Bool = false) throws {
        let before = try stamps.confirmed(key)
        guard before != SlotStamps() else { return }
        let after = SlotStamps(delete: delete)
        try confirm(after, of: key, insteadOf: before)
        let pending = hasPending ? try stamps.pending(key) : .init()
        if pending.put != nil {
            try rememberBase(before.put?.stamp, of: key)
        } else if comesAgain {
            try rows.putAway(key)
        } else {
            try rows.erase(key)
        }
        report.forgotten += 1
        try recordChange(of: key, after)
    }

    private mutating func confirm(_ after: SlotStamps, of key: RecordKey, insteadOf before: SlotStamps) throws {
        try stamps.replaceConfirmed(before, with: after, of: key)
        digest.replace(before, with: after, of: key)
    }

    /// Forgets the records that the server has purged. Where the server had lost a put that is later than the purged delete, the
    /// put remains to be brought back.
    private mutating func forget(purged keys: [RecordKey], _ told: Set<RecordKey>) throws {
        let lost = LostRecords(database: database)
        guard try !lost.isEmpty else {
            for key in keys { try applyPurged(purged: RecordState(key: key), told) }
            return
        }
        let pulled = ServerCopy(database: database)
        for key in keys {
            guard let held = try lost.state(of: key) else {
                try applyPurged(purged: RecordState(key: key), told)
                continue
            }
            try pulled.forget(key)
            if try stamps.confirmed(key).own == .put, held.put != nil {
                try pulled.join(RecordState(key: key))
                try applyPurged(purged: held, told)
            } else {
                try lost.forget(key)
                try applyPurged(purged: RecordState(key: key), told)
            }
        }
    }

    /// Applies the purge of a record. Usually this replica already had the record's delete.
    ///
    /// A put made here without a known delete goes to the journal (decision 117): no reply or page has reported its delete to
    /// this replica. Either others deleted the record while this replica was offline, or the server was restored from a backup
    /// and has purged an earlier record with that identifier.
    ///
    /// - Parameters:
    ///   - server: The server's state of the record since the purge, which may be empty.
    ///   - told: The records that the page reports as purged; empty in the first pull.
    private mutating func applyPurged(purged server: RecordState, _ told: Set<RecordKey>) throws {
        if try isOwn(server.key), try !isBelow(told, server.key) {
            try passOver(server, reason: "It was deleted and purged, or the server was restored.")
        } else if server.stamps == SlotStamps() {
            let held = try stamps.confirmed(server.key)
            if held.own == .put, let put = held.put, try !hasPending || stamps.pending(server.key).put == nil {
                try keepUntracked(server.key, put)
            }
            try forget(server.key)
        } else {
            try replace(with: server)
        }
    }

    /// Whether the confirmed put was made here, and no delete of it is known.
    private func isOwn(_ key: RecordKey) throws -> Bool {
        let confirmed = try stamps.confirmed(key)
        guard confirmed.own == .put, let put = confirmed.put, own.contains(put.stamp.replica) else { return false }
        return try !hasPending || stamps.pending(key).delete == nil
    }

    /// Whether a record is hidden as a cascade child of a record that is purged with it.
    private func isBelow(_ told: Set<RecordKey>, _ key: RecordKey) throws -> Bool {
        guard !told.isEmpty, try rows.place(of: key) != .visible, try !rows.isUnfit(key) else { return false }
        return try rows.references(of: key).contains { reference in
            guard let rule = layout.rules.rule(key.entity, reference.relationship), rule.deleteRule == .cascade else {
                return false
            }
            let parent = RecordKey(entity: rule.destination, id: reference.target)
            return told.contains(parent)
        }
    }

    /// Forgets the slots of a lost record that the server did not take back because it has purged the record. The server cannot
    /// tell whether the delete is the one that it purged. A later delete therefore remains to be brought back, alone, so that it
    /// shows nothing.
    mutating func passOver(lost key: RecordKey) throws {
        let server = try ServerCopy(database: database).state(of: key) ?? RecordState(key: key)
        let held = try LostRecords(database: database).state(of: key)
        guard let put = held?.put, let delete = held?.delete, delete > put.stamp,
            server.put.map({ $0.stamp < delete }) ?? true
        else {
            return try passOver(
                server, reason: "The server was restored, and takes it for a record that was deleted and purged.")
        }
        let deleted = RecordState(key: key, delete: delete)
        try LostRecords(database: database).put(deleted)
        try replace(with: server.joined(with: deleted))
    }

    /// Applies the server's state of a record that may not be the purged one. A confirmed put that no known change follows goes
    /// to the journal.
    ///
    /// - Parameter server: The server's state of the record, which may be empty.
    mutating func passOver(_ server: RecordState, reason: String) throws {
        let confirmed = try stamps.confirmed(server.key)
        if confirmed.own == .put, let put = confirmed.put, server.put.map({ $0.stamp < put.stamp }) ?? true,
            server.delete.map({ $0 < put.stamp }) ?? true, try stamps.pending(server.key).put == nil,
            // Equal content under another stamp is no loss, and corrupt content cannot be kept.
            let held = try rows.readablePut(of: server.key), held != server.put?.encoded,
            try journal.record(.lost, server.key, stamp: put.stamp, put: held, reason: reason)
        {
            report.journaled += 1
        }
        if server.stamps == SlotStamps() {
            try forget(server.key)
        } else {
            try replace(with: server)
        }
    }

    /// Erases a row that no slot or change accounts for.
    mutating func erase(_ key: RecordKey) throws {
        try rows.erase(key)
        changes.append(ChangedRecord(key: key, own: .absent))
    }

    /// Sets the digest before the page, where it is not the stored one.
    mutating func startDigest(_ digest: ScopeDigest) { self.digest = digest }

    /// Rewrites a row whose content differs from that of the slot.
    ///
    /// - Parameter isSame: Whether the row belongs to this slot. Different content is then corrupt, or an edit whose entry the
    ///   damaged outbox has lost. Nothing tells the two apart, so the journal keeps the content.
    private mutating func correctContent(
        of key: RecordKey, to put: RecordState.PutSlot?, _ hash: ContentHash?, isSame: Bool
    ) throws {
        guard let put else { return try rows.erase(key) }
        let held = try rows.readablePut(of: key)
        if let held, ContentHash(of: held) == hash { return }
        if isSame, let held, try isUntracked(key, held, insteadOf: put.encoded) {
            try Outbox(database: database).addNow(key, .put, wall: UInt64(clamping: journal.now))
            try Outbox(database: database).setBase(put.stamp, of: key)
            hasPending = true
            // Nothing tells a write past the triggers from corruption that makes sense, so the confirmed content is kept, too.
            try journal.record(
                .damaged, key, stamp: put.stamp, put: put.encoded,
                reason:
                    "The row held another content, which no trigger has seen: that is a local change now, in the place of this one. "
                    + "If the file was damaged, restore this.")
            return try journal.event(
                "layout", "\(key) held another content than was tracked; it is a local change now.")
        }
        // An existing row keeps the columns that other programs have added to it.
        if held == nil { try rows.erase(key) }
        try write(put.encoded, to: key, over: nil)
        // A row that reads as before does not reproduce the bytes of its put, and was not corrupt.
        guard try held == nil || rows.encodedPut(of: key) != held else { return }
        report.corrected += 1
        guard isSame, let held else { return }
        try journal.record(
            .damaged, key, stamp: put.stamp, put: held,
            reason:
                "The content was not what the server had confirmed, and nothing said that it waits: it was damaged, or an edit "
                + "whose place in the list of changes was lost.")
    }

    /// Whether another program has written a row past the triggers, as opposed to corruption by the disk.
    private func isUntracked(_ key: RecordKey, _ held: [UInt8], insteadOf original: [UInt8]) throws -> Bool {
        try rows.place(of: key) == .visible && !rows.isIrregular(key)
            && rows.refusal(of: key, held, bytesMax: .max) == nil && !DamageSign.isShown(by: held, insteadOf: original)
            && StateStore(database: database).integer(.salvaged) == nil
    }
}
