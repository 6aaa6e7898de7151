internal import Foundation
internal import GRDB
internal import RoostMerge
public import RoostModel
package import RoostProtocol
internal import RoostSQLite
internal import Synchronization

/// One copy of a scope's data, in one SQLite file on one device.
///
/// The visible tables are ordinary ones that any program may write; triggers in the file track what changes. Several
/// processes may have the file open. All methods are safe to call from any thread; those that write wait their turn.
public final class Replica: Sendable {
    /// The path of the file.
    public let path: String
    private let knownLayout: Mutex<Layout>
    private let local: LocalConnections
    private let engineConnection: WriterConnection
    /// How long ``engine`` waits for other programs.
    let engineWait: FileWait
    var engine: DatabaseQueue { engineConnection.queue }
    private let durability: Durability
    /// The current setting of ``engine``.
    private let engineDurability: Mutex<Durability>
    let wallClock: @Sendable () -> Int64
    let log: LogCopying
    /// When the outbox was last looked at, in milliseconds since 1970.
    let lastOutboxCheck = Mutex<Int64?>(nil)
    /// SQLite's count of changes to tables when they were last seen to be those of ``layout``.
    let knownTables = Mutex<Int64?>(nil)
    /// Whether the transaction that runs goes without the triggers of other programs.
    let isBypassingTriggers = Mutex(false)
    let isBypassingRollbacks = Mutex(false)
    let logMode = Mutex(LogMode())
    let place: FilePlace
    let writeSealings = WriteSealings()
    let remoteChanges = RemoteChanges()
    /// What was found damaged since ``checkOutbox()`` was last asked.
    let foundDamage = Mutex<OutboxDamage?>(nil)
    /// Whether Roost has made local changes of what it found in the tables (``takeFoundChanges()``).
    let foundChanges = Mutex(false)

    /// The tables, with what other programs have added to them when the layout was last verified.
    var layout: Layout { knownLayout.withLock { $0 } }

    /// The schema of the scope, as this replica knows it.
    public var schema: Schema { layout.schema }

    /// Makes a new replica file.
    ///
    /// - Parameters:
    ///   - path: Where; there must be nothing yet.
    ///   - schema: The scope's schema.
    /// - Throws: ``ReplicaError``; no file is left behind.
    public static func create(at path: String, schema: Schema, durability: Durability = .full) throws -> Replica {
        try ReplicaFile.create(at: path, schema: schema, durability: durability)
        let replica = try Replica(opening: path, durability: durability, wallClock: systemClock)
        replica.log.noteWrite()
        return replica
    }

    /// Opens a replica file and settles what other programs have written.
    ///
    /// - Throws: ``ReplicaError``; the file is unchanged.
    public convenience init(opening path: String, durability: Durability = .full) throws {
        do {
            try self.init(opening: path, durability: durability, wallClock: Self.systemClock)
        } catch let error as ReplicaError where error.code == .notAReplica {
            try UnfinishedReplica.check(path)
            throw error
        }
        // One with records in it is somebody's, whatever became of the join.
        if try membership() == nil, try !hasContent() { try UnfinishedReplica.check(path) }
    }

    /// Milliseconds since 1970.
    private static let systemClock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }

    /// - Parameter wallClock: Milliseconds since 1970. Triggers read SQLite's clock instead.
    package init(opening path: String, durability: Durability, wallClock: @escaping @Sendable () -> Int64) throws {
        do {
            // Whatever name it was opened by: what lies beside the file goes by its own.
            self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            place = FilePlace(path, target: self.path)
            self.wallClock = wallClock
            self.durability = durability
            engineDurability = Mutex(durability)
            engineWait = FileWait(path)
            engineConnection = try ReplicaFile.open(path, durability, engineWait)
            let engine = engineConnection.queue
            knownLayout = Mutex(Layout(try ReplicaFile.schema(of: engine, path)))
            local = LocalConnections(to: path, durability)
            log = LogCopying(self.path, engineWait)
            switchLogOn()
            try noteLostLog()
            try FileFormat.update(engine, self.path)
            eraseTokens()
        } catch {
            let refusal = ReplicaError(translating: error, "open the replica \"\(path)\"")
            guard refusal.code == .notAReplica, let file = OtherFile(textAt: path) else { throw refusal }
            throw ReplicaError(.notAReplica, "Cannot open the replica \"\(path)\": \(file.words)")
        }
        do {
            // Taken in, they are gone: damage that SQLite finds only when it looks for it has to be found before.
            let areMarksWhole = try engineLook("look for changes") { database in
                try OutboxCheck(database: database).faultOfMarks() == nil
            }
            if !areMarksWhole { try mendOutbox() }
            try engineWait.limited(to: Self.openingMilliseconds) {
                try verifyLayout()
                try settle()
            }
        } catch let error as ReplicaError where error.code == .corrupt {
            try mendOutbox()
        } catch let error as ReplicaError where error.code == .schemaChanged {
            // Migrated by another program since the schema was read, as it may be at any time: the next call says so.
        } catch let error as ReplicaError where error.code == .busy {
            // Another program is in a transaction: what it reads is as that left it, and the next write settles it.
        }
    }

    deinit {
        log.tidy(engine)
    }

    /// Closes the file; the replica cannot be used afterwards.
    public func close() throws {
        log.tidy(engine)
        try engineConnection.close()
        try local.close()
    }

    /// Derives what follows from changes that other programs made.
    package func settle() throws {
        let isSettled = try engineLook("look for changes") { database in
            try database.query(
                """
                SELECT EXISTS (SELECT 1 FROM roost_mark) OR EXISTS (SELECT 1 FROM roost_outbox WHERE unsettled > 0)
                """
            ).first { $0.integer(0) } == 0
        }
        if !isSettled { try engineWrite("settle local changes", isWork: false) { _ in } }
    }

    // MARK: Transactions

    /// A transaction of the user's, with the triggers.
    func localTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try verifyingLayout {
            try local.write { database in
                try checkTables(database)
                return try body(database)
            }
        }
    }

    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        do {
            return try verifyingLayout {
                try local.read { database in
                    try checkTables(database)
                    return try body(database)
                }
            }
        } catch {
            throw ReplicaError(translating: error, action)
        }
    }

    /// A look by the connection that synchronises: its own last write is in its cache, and no other has to be opened. It may
    /// wait behind a page that is being applied. Roost's own tables are the same in every version of a schema; who looks at an
    /// entity's calls ``checkTables(_:)`` first.
    ///
    /// - Parameter isSnapshot: Whether all that is looked at has to be of one snapshot.
    func engineLook<Result>(
        _ action: String, isSnapshot: Bool = false, _ body: (Database) throws -> Result
    ) throws -> Result {
        do {
            guard isSnapshot else {
                return try engine.unsafeRead { database in try database.resettingOnError { try body(database) } }
            }
            return try engine.writeWithoutTransaction { try $0.inOneTransaction(.deferred, body) }
        } catch {
            throw ReplicaError(translating: error, action)
        }
    }

    /// Runs Roost's own writes: triggers stand still, and what other programs wrote before is settled first.
    ///
    /// - Parameters:
    ///   - isWork: Whether the log is worth copying back for it when the file is closed.
    ///   - isRepeatable: Whether nothing is lost if the power goes before this reaches the disk: the server would give the same
    ///     again, or the next exchange write it anew. Then the disk is not waited for; whatever is committed durably after it
    ///     takes it there too.
    ///   - isTold: Whether rows may be others because of what the server says, whatever comes of it: who observes that is told after the
    ///     commit (``observeRemoteChanges(_:)``).
    func engineWrite<Result>(
        _ action: String, isWork: Bool = true, isRepeatable: Bool = false, isTold: Bool = false,
        _ body: (Database) throws -> Result
    ) throws -> Result {
        let result = try verifyingTablesBefore { verify in
            try unsettledWrite(action, isWork: isWork, isRepeatable: isRepeatable) { database in
                try verify(database)
                return try withUserTriggers(database) {
                    try Settlement(database: database, layout: layout).settle()
                    return try body(database)
                }
            }
        }
        if isTold { remoteChanges.tell() }
        return result
    }

    /// As ``engineWrite(_:isWork:isRepeatable:isTold:_:)``, with what other programs wrote left as it is.
    func unsettledWrite<Result>(
        _ action: String, isWork: Bool = true, isRepeatable: Bool = false, _ body: (Database) throws -> Result
    ) throws -> Result {
        do {
            if isWork { log.noteWrite() }
            return try engine.writeWithoutTransaction { database in
                try set(isRepeatable ? .normal : durability, database)
                return try withoutForeignIndexes(database) {
                    try bypassingTriggersThatRollBack(database) {
                        try database.inOneTransaction(.immediate) { database in
                            try checkVersion(of: database)
                            return try body(database)
                        }
                    }
                }
            }
        } catch let changed as LayoutChanged {
            throw changed
        } catch {
            // What this transaction has made of the tables is rolled back.
            knownTables.withLock { $0 = nil }
            throw ReplicaError(translating: error, action)
        }
    }

    /// Runs `body` with a connection that was not open before.
    func withSecondConnection<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
        do {
            let second = try ReplicaFile.open(path, durability)
            defer { try? second.close() }
            return try body(second.queue)
        } catch {
            throw ReplicaError(translating: error, "look at the file")
        }
    }

    /// Replaces the known layout, inside the transaction that has verified it.
    func set(_ layout: Layout) { knownLayout.withLock { $0 = layout } }

    private func set(_ wanted: Durability, _ database: Database) throws {
        try engineDurability.withLock { current in
            guard current != wanted else { return }
            try database.executeOne(ReplicaFile.synchronousSQL(wanted))
            current = wanted
        }
    }

    var now: Int64 { wallClock() }
}

// MARK: Synchronising

extension Replica {
    /// Takes in the reply to push `number`.
    ///
    /// - Parameters:
    ///   - results: One for each transaction of the push.
    ///   - current: The server's slots of refused records.
    ///   - isContact: Whether to note that the server was reached, and all is well.
    ///   - page: What came with the reply. It is taken in with it, by the same transaction, where all was accepted and no more is to be done
    ///     for it; else it is for the caller to take in (``apply(_:purged:since:checkpoint:serverTime:isLast:)``).
    @discardableResult
    package func acknowledge(
        _ number: UInt64, _ results: [PushReply.Result], current: [RecordState], isWhole: Bool = true,
        isContact: Bool = false, with page: EmptyPage? = nil
    ) throws -> Acknowledged {
        // Of several sealed pushes only the last: the server repeats no reply but its last.
        let isLast = try engineLook("read the sealed pushes") { database in
            try database.query("SELECT max(number) FROM roost_push").first { $0.integer(0) } == Int64(clamping: number)
        }
        let isRepeatable = isLast && results.last != .staged
        var done = Acknowledged()
        var isTold = false
        try engineWrite("take in the reply to a push", isRepeatable: isRepeatable) { database in
            let known = try database.takeSealed(number)
            // Acknowledged before: the process died between the reply and this line's first run.
            guard
                let (carried, transactions) = try known.map({ ([], $0.transactions) })
                    ?? sealedTransactions(of: number, database)
            else { return }
            let state = StateStore(database: database)
            let before = try StateSnapshot(Self.acknowledging, in: database)
            var acknowledgement = try Acknowledgement(database, layout, before, now: now)
            let isAccepted = results.count == transactions.count && results.allSatisfy(\.isAccepted)
            if let known, isAccepted { try acknowledgement.know(known) }
            var hasRest = false
            for (index, result) in results.enumerated() where index < transactions.count {
                let parts = index == 0 ? carried : []
                let changes = parts + transactions[index]
                switch result {
                case .accepted(_, let outcomes):
                    try acknowledgement.accept(
                        changes, beaten: outcomes.stamps(.beaten, after: parts.count),
                        replaced: outcomes.stamps(.replaced, after: parts.count))
                case .refused(let refusal) where refusal.isGone:
                    try acknowledgement.refuseGone(
                        changes, at: refusal.index.map { $0 + parts.count }, reason: refusal.reason, current: current,
                        isWhole: isWhole)
                case .refused(let refusal):
                    // The rest is sent all the same, and refused for that: nobody is to see a part until then.
                    let isLast = index == transactions.count - 1
                    let rest = try isLast ? restOfTransaction(after: number, database) : []
                    hasRest = !rest.isEmpty
                    // Of what other programs wrote, only the change that the server names.
                    if parts.isEmpty, rest.isEmpty, let index = refusal.index,
                        try acknowledgement.refuseAlone(changes, at: index, reason: refusal.reason)
                    {
                        break
                    }
                    try acknowledgement.refuse(changes + rest, reason: refusal.reason)
                case .staged: break
                }
            }
            let contact = ContactNote(database: database, now: now).success(after: before.text(.lastFailure))
            let taken = max(before.integer(.pushNumber) ?? 0, Int64(clamping: number))
            var values: [(name: StateStore.Name, value: Value)] = [(.pushNumber, .integer(taken))]
            let simple =
                try isAccepted && acknowledgement.takesNothingBack && page?.isSimple(before, database) == true
                ? page : nil
            if isContact || simple != nil { values += contact }
            if let simple {
                values += simple.values(before)
                done.page = simple.report(before, acknowledgement.digest, now: now)
            }
            // With it may end what earlier pages began.
            isTold = !acknowledgement.takesNothingBack || (simple != nil && before.integer(.behind) != nil)
            done.beaten = try acknowledgement.finish(
                current: current, setting: values, offset: simple.flatMap { offset(of: $0.serverTime) })
            // Of a refused transaction, too, the server takes whatever comes next for the rest (``Sealed/leftParts``).
            let isStaged = results.last == .staged || hasRest
            let forget = try database.query("DELETE FROM roost_push WHERE number < ?1 OR (number = ?1 AND ?2 = 0)")
            // Of two transactions the first has ended: the next push continues the second one only.
            var isCarriedOn = isStaged && transactions.count == 1
            #if ROOST_SEEDED_BUGS
                if SeededBug.settledPartsStay.isOn { isCarriedOn = isStaged }
            #endif
            forget.bind(1, isCarriedOn ? 0 : number)
            forget.bind(2, isStaged ? 1 : 0)
            try forget.run()
            if isStaged {
                let mark = try database.query("UPDATE roost_push SET staged = 1 WHERE number = ?")
                mark.bind(1, number)
                try mark.run()
                // The server has stored none of it, but holds later stamps against the last of these.
                let last = transactions.last?.last?.stamp.time ?? 0
                try state.set(.seen, .integer(max(try state.integer(.seen) ?? 0, Int64(clamping: last))))
            }
        }
        if isTold { remoteChanges.tell() }
        return done
    }

    private static let acknowledging = StateSnapshot.Names(
        Acknowledgement.stateNames + [.pushNumber, .lastFailure] + EmptyPage.stateNames)

    /// Gives every waiting change a new stamp after the server found one ahead of its clock.
    package func restamp(serverTime: UInt64) throws {
        try engineWrite("restamp local changes", isTold: true) { database in
            try Restamping(database: database).restamp(serverTime: serverTime, wall: UInt64(clamping: now))
            // A waiting put may now be greater than a delete that it was smaller than.
            try Outbox(database: database).unsettleAll()
            try Settlement(database: database, layout: layout).settle()
        }
    }

    /// Takes in a page of pulled records and its checkpoint, in one transaction.
    ///
    /// Taking in the same page twice leaves the replica as after the first time (invariant I6). While everything is pulled
    /// anew (``pullAnew(_:)``), a page is only kept, and with the last one all of them take effect.
    ///
    /// - Parameters:
    ///   - purged: Records that the server has forgotten; they come before the page's records.
    ///   - since: The checkpoint that the page goes on from. A replica that stands elsewhere by now is left as it is, and the report says
    ///     so: the reply to a push, or a table that another program dropped, has begun to pull everything anew meanwhile.
    ///   - isLast: Whether the replica is up to date with it.
    package func apply(
        _ records: [RecordState], purged: [RecordKey] = [], since: PageStart = .anywhere, checkpoint: [UInt8]?,
        serverTime: UInt64?, isLast: Bool = true
    ) throws -> ApplyReport {
        #if ROOST_SEEDED_BUGS
            if SeededBug.checkpointBeforePage.isOn, let checkpoint, case .checkpoint(let before, _) = since,
                try self.checkpoint() == before
            {
                try engineWrite("mistake") { try StateStore(database: $0).set(.checkpoint, .bytes(checkpoint)) }
                return try apply(
                    records, purged: purged, checkpoint: checkpoint, serverTime: serverTime, isLast: isLast)
            }
            if SeededBug.pageInTwoTransactions.isOn, records.count > 1 {
                let half = Array(records[..<(records.count / 2)])
                _ = try apply(half, checkpoint: nil, serverTime: nil, isLast: false)
            }
            if SeededBug.driftCheckOnReceive.isOn,
                records.contains(where: { Int64($0.put?.stamp.milliseconds ?? 0) > now + 300_000 })
            {
                throw ReplicaError(.invalidValue, "a stamp is ahead")
            }
        #endif
        let report = try engineWrite("apply pulled changes", isRepeatable: true) { database in
            let state = StateStore(database: database)
            let before = try StateSnapshot(Self.pulling, in: database)
            let isAnew = try before.pullingAnew != nil
            let missing = MissingRecords(database: database, layout: layout)
            let asked = try missing.keys()
            if case .checkpoint(let since, let anew) = since,
                try since != before.bytes(.checkpoint) || since == nil && isAnew && anew != state.anew
            {
                var report = ApplyReport()
                report.isOvertaken = true
                return report
            }
            if let checkpoint, !isAnew, records.isEmpty, purged.isEmpty, before.bytes(.checkpoint) == checkpoint {
                // Nothing to write but, seldom, the time: an empty answer to a long poll.
                if let offset = serverTime.flatMap(offset) { try state.learnOffset(offset) }
                var report = ApplyReport()
                report.digest = try before.digest
                report.lost = try LostRecords(database: database).count
                report.isScrubDue = isLast && ScrubState.isDue(at: now, last: before.integer(.scrubbed))
                return report
            }
            let behind = before.integer(.behind).flatMap { Behind(rawValue: $0) }
            let isFirst = try behind == .first || before.begins
            var values: [(name: StateStore.Name, value: Value)] = []
            if let checkpoint { values.append((.checkpoint, .bytes(checkpoint))) }
            if isLast {
                values += ContactNote(database: database, now: now).success(after: before.text(.lastFailure))
            }
            let rest: Behind? = isLast ? nil : isFirst ? .first : .some
            if rest != behind { values.append((.behind, rest.map { .integer($0.rawValue) } ?? .null)) }
            let offset = serverTime.flatMap(offset)
            var report: ApplyReport
            if isAnew {
                report = try takeAnew(records, purged, isLast: isLast, database)
                try state.set(values, offset: offset)
                report.lost = try LostRecords(database: database).count
            } else {
                var page = try PageApplication(database, layout, before, count: records.count, now: now)
                try page.take(records, purged: purged, isFirst: isFirst)
                report = try page.finish(setting: values, offset: offset)
                if page.hasLost { report.lost = try LostRecords(database: database).count }
            }
            try missing.recordRestored(asked, Journal(database: database, now: now))
            report.isNoted = isLast
            // Taking everything anew is what all contents are looked at for, and notes that itself.
            report.isScrubDue =
                try isLast
                && (isAnew
                    ? ScrubState(database: database).isDue(at: now)
                    : ScrubState.isDue(at: now, last: before.integer(.scrubbed)))
            return report
        }
        if report.isNoted { remoteChanges.tell() }
        return report
    }

    /// Where the replica stands with pulling.
    private static let pulling = StateSnapshot.Names(
        PageApplication.stateNames + [.pullingAnew, .damaged, .checkpoint, .behind, .lastFailure, .scrubbed])

    /// How far the server's clock is ahead, in milliseconds; `nil` where it does not say.
    private func offset(of serverTime: UInt64) -> Int64? {
        guard serverTime > 0 else { return nil }
        let offset = Int64(min(serverTime, HybridClock.millisecondsMax)) - now
        // Small differences are the network's, not the clock's.
        return abs(offset) < 2000 ? 0 : offset
    }
}
