internal import GRDB
internal import RoostMerge
internal import RoostModel

/// What goes beyond joining: taking the server's word for a record, and forgetting one.
extension PageApplication {
    /// Joins a page in, and forgets what the server had purged before. Of a record that was purged and made anew the server's state
    /// counts alone, and what that beats of this device is journaled as ever.
    ///
    /// - Parameter isFirst: Whether the replica has never had all that the server has: nobody told it anything of what it has pushed.
    mutating func take(_ records: [RecordState], purged: [RecordKey], isFirst: Bool) throws {
        guard !purged.isEmpty else { return try merge(records) }
        let lost = LostRecords(database: database)
        let both = Set(purged).intersection(records.map(\.key))
        let told = isFirst ? [] : Set(purged)
        let anew = try both.filter { try lost.state(of: $0) == nil }
        try forget(purged: purged.filter { !anew.contains($0) }, told)
        for record in records {
            if anew.contains(record.key) { try take(purged: record, told) } else { try merge(record) }
        }
        if report.journaled > 0 {
            try journal.event(
                "resync", "\(report.journaled) changes are not on the server any more; the journal has them.")
        }
    }

    /// Makes a record's confirmed slots those of the server, also where that takes something away, and its content too
    /// unless a later local put waits.
    ///
    /// - Parameter isAsked: Whether the row is missing and the user has to decide if the record was deleted: no row is written then, unless
    ///   somebody has written it since.
    mutating func replace(with state: RecordState, isAsked: Bool = false) throws {
        let key = state.key
        let before = try stamps.confirmed(key)
        let after = state.stamps
        see(after)
        let isNewer = state.put.map { put in before.put.map { $0.stamp < put.stamp } ?? true } ?? false
        let pending =
            !hasPending ? .init() : try isNewer ? realPending(of: key, before) : stamps.pending(key)
        if isNewer, let put = state.put {
            try take(put, of: key, before: before, pending: pending, after: after)
        } else {
            if before.put != after.put { try rememberBase(before.put?.stamp, of: key) }
            if pending.put == nil, !isAsked || before.put != after.put {
                try correctContent(of: key, to: state.put, after.put?.hash, isSame: before.put == after.put)
            } else if pending.put != nil, try rows.place(of: key) == .nowhere, try !rows.isUnfit(key) {
                // Its table was dropped, and what waits of it is in a push, or lost: that it is missing is not taken for a delete.
                try MissingRecords(database: database, layout: layout).add(key)
            }
        }
        try noteBeatenDelete(key, before: before, after: after, pending: pending)
        if after != before {
            report.applied += 1
            try confirm(after, of: key, insteadOf: before)
        } else {
            report.repeated += 1
        }
        try dropPending(key, pending: pending, after: after)
        try noteChange(of: key, after)
    }

    /// Forgets the confirmed slots of a record that the server does not have: nobody sees it any more. A local change of
    /// it stays, and remembers what it was made from.
    ///
    /// - Parameters:
    ///   - delete: A delete that stays.
    ///   - comesAgain: Whether a page is about to bring the record.
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
        try noteChange(of: key, after)
    }

    private mutating func confirm(_ after: SlotStamps, of key: RecordKey, insteadOf before: SlotStamps) throws {
        try stamps.replaceConfirmed(before, with: after, of: key)
        digest.replace(before, with: after, of: key)
    }

    /// Forgets what the server has purged. Of a record that it had lost in part, what is later than the delete it purged waits on to
    /// be brought back.
    private mutating func forget(purged keys: [RecordKey], _ told: Set<RecordKey>) throws {
        let lost = LostRecords(database: database)
        guard try !lost.isEmpty else {
            for key in keys { try take(purged: RecordState(key: key), told) }
            return
        }
        let pulled = PulledAnew(database: database)
        for key in keys {
            guard let held = try lost.state(of: key) else {
                try take(purged: RecordState(key: key), told)
                continue
            }
            try pulled.forget(key)
            if try stamps.confirmed(key).own == .put, held.put != nil {
                try pulled.join(RecordState(key: key))
                try take(purged: held, told)
            } else {
                try lost.forget(key)
                try take(purged: RecordState(key: key), told)
            }
        }
    }

    /// Takes the server's word for a record that it has purged: as a rule this replica knew that it was deleted.
    ///
    /// Nobody told it that of what it has made itself and knows no delete of: others deleted it while it heard of nothing, or the server was
    /// put back, and what it purged was an earlier record of that name. That goes to the journal (decision 117).
    ///
    /// - Parameters:
    ///   - server: What the server has of it since, which may be nothing.
    ///   - told: What this replica was told to be deleted, of all that the page names.
    private mutating func take(purged server: RecordState, _ told: Set<RecordKey>) throws {
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

    /// Whether a confirmed put was made here, and no delete of it is known.
    private func isOwn(_ key: RecordKey) throws -> Bool {
        let confirmed = try stamps.confirmed(key)
        guard confirmed.own == .put, let put = confirmed.put, own.contains(put.stamp.replica) else { return false }
        return try !hasPending || stamps.pending(key).delete == nil
    }

    /// Whether a record is hidden below one that is purged with it.
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

    /// Forgets what the server did not take back of a lost record because it has purged it. Nothing tells the server whether the delete
    /// is the one that it purged: it waits on, alone, which brings back nothing that would show.
    mutating func passOver(lost key: RecordKey) throws {
        let server = try PulledAnew(database: database).state(of: key) ?? RecordState(key: key)
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

    /// Takes the server's word for a record that may not be the one that was purged: a put that nothing known here comes after
    /// goes to the journal.
    ///
    /// - Parameter server: What the server has of it, which may be nothing.
    mutating func passOver(_ server: RecordState, reason: String) throws {
        let confirmed = try stamps.confirmed(server.key)
        if confirmed.own == .put, let put = confirmed.put, server.put.map({ $0.stamp < put.stamp }) ?? true,
            server.delete.map({ $0 < put.stamp }) ?? true, try stamps.pending(server.key).put == nil,
            // The same content under another stamp is no loss, and damaged content none that could be kept.
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

    /// Takes a row away that nothing accounts for.
    mutating func erase(_ key: RecordKey) throws {
        try rows.erase(key)
        changes.append(ChangedRecord(key: key, own: .absent))
    }

    /// Says what the digest was before, where it is not the one that was kept up.
    mutating func startDigest(_ digest: ScopeDigest) { self.digest = digest }

    /// Writes the content anew where the row holds another one than the slot says: it was damaged.
    ///
    /// - Parameter isSame: Whether the slot is the one that the row was of. What the row holds then is damaged, or an edit of which
    ///   the damaged list of what waits has nothing any more: nothing tells the two apart, and the journal keeps it.
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
            // Nothing tells a program that wrote past the triggers from damage that makes sense: what was confirmed is kept, too.
            try journal.record(
                .damaged, key, stamp: put.stamp, put: put.encoded,
                reason:
                    "The row held another content, which no trigger has seen: that is a local change now, in the place of this one. "
                    + "If the file was damaged, restore this.")
            return try journal.event(
                "layout", "\(key) held another content than was tracked; it is a local change now.")
        }
        // A row that is there keeps the columns that other programs have added to it.
        if held == nil { try rows.erase(key) }
        try write(put.encoded, to: key, over: nil)
        // A row that does not give its put's bytes again was no other before.
        guard try held == nil || rows.encodedPut(of: key) != held else { return }
        report.corrected += 1
        guard isSame, let held else { return }
        try journal.record(
            .damaged, key, stamp: put.stamp, put: held,
            reason:
                "The content was not what the server had confirmed, and nothing said that it waits: it was damaged, or an edit "
                + "whose place in the list of changes was lost.")
    }

    /// Whether another program has written a row past the triggers, and not a disk.
    private func isUntracked(_ key: RecordKey, _ held: [UInt8], insteadOf original: [UInt8]) throws -> Bool {
        try rows.place(of: key) == .visible && !rows.isIrregular(key)
            && rows.refusal(of: key, held, bytesMax: .max) == nil && !DamageSign.isShown(by: held, insteadOf: original)
            && StateStore(database: database).integer(.salvaged) == nil
    }
}
