internal import Foundation
internal import GRDB
internal import RoostMerge
public import RoostModel
package import RoostProtocol
internal import RoostSQLite
internal import Synchronization

/// One copy of a scope's data, in one SQLite file on one device.
///
/// The visible tables are ordinary SQL tables that any program may write. Triggers in the file track the writes. Several
/// processes may open the file. All methods are safe to call from any thread; methods that write wait for each other.
public final class Replica: Sendable {
    /// The path of the file.
    public let path: String
    private let knownLayout: Mutex<Layout>
    private let local: LocalConnections
    private let engineConnection: WriterConnection
    /// The time limits of ``engine`` while it waits for other programs.
    let engineWait: FileWait
    var engine: DatabaseQueue { engineConnection.queue }
    private let durability: Durability
    /// The current synchronous setting of ``engine``.
    private let engineDurability: Mutex<Durability>
    let wallClock: @Sendable () -> Int64
    let log: LogCopying
    /// The time of the last check of the outbox, in milliseconds since 1970; `nil` if the next check is due at once.
    let lastOutboxCheck = Mutex<Int64?>(nil)
    /// SQLite's schema version at the last verification of ``layout``; `nil` if the layout has to be compared again.
    let knownTables = Mutex<Int64?>(nil)
    /// Whether the current transaction runs without any user triggers.
    let isBypassingTriggers = Mutex(false)
    let isBypassingRollbacks = Mutex(false)
    let logMode = Mutex(LogMode())
    let place: FileLocation
    let writeSealings = WriteSealings()
    let remoteChanges = RemoteChanges()
    /// Corruption found, and notices collected, since the last call of ``checkOutbox()``.
    let foundDamage = Mutex<OutboxDamage?>(nil)
    /// Whether Roost has made local changes of untracked writes since the last call of ``consumeFoundChanges()``.
    let foundChanges = Mutex(false)

    /// The tables, with the additions of other programs as of the last verification of the layout.
    var layout: Layout { knownLayout.withLock { $0 } }

    /// The form in which the file stores identifiers.
    public var identifiers: IdentifierForm { layout.identifiers }

    /// The version of the scope's schema that the replica's tables follow.
    public var schema: Schema { layout.schema }

    /// Creates a new replica file.
    ///
    /// - Parameters:
    ///   - path: The location of the file, at which nothing may exist yet.
    ///   - schema: The scope's schema.
    ///   - identifiers: The form in which the file stores identifiers. It stays as it is, and other devices may have another.
    /// - Throws: ``ReplicaError``; no file is left behind.
    public static func create(
        at path: String, schema: Schema, identifiers: IdentifierForm = .bytes, durability: Durability = .full
    ) throws -> Replica {
        try ReplicaFile.create(at: path, schema: schema, identifiers, durability: durability)
        let replica = try Replica(opening: path, durability: durability, wallClock: systemClock)
        replica.log.recordWrite()
        return replica
    }

    /// Opens a replica file, whatever its schema is, and settles the tracked writes of other programs.
    ///
    /// - Throws: ``ReplicaError``; the file is unchanged.
    public convenience init(opening path: String, durability: Durability = .full) throws {
        do {
            try self.init(opening: path, durability: durability, wallClock: Self.systemClock)
        } catch let error as ReplicaError where error.code == .notAReplica {
            try UnfinishedReplica.check(path)
            throw error
        }
        // A file that holds records is in use, even if joining a scope was interrupted.
        if try membership() == nil, try !hasContent() { try UnfinishedReplica.check(path) }
    }

    /// The system clock, in milliseconds since 1970.
    private static let systemClock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }

    /// - Parameter wallClock: Returns milliseconds since 1970. Triggers read SQLite's clock instead.
    package init(opening path: String, durability: Durability, wallClock: @escaping @Sendable () -> Int64) throws {
        do {
            // SQLite names the WAL and its index after the resolved path, even if the file is opened by a symbolic link.
            self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            place = FileLocation(path, target: self.path)
            self.wallClock = wallClock
            self.durability = durability
            engineDurability = Mutex(durability)
            engineWait = FileWait(path)
            engineConnection = try ReplicaFile.open(path, durability, nil, engineWait)
            let engine = engineConnection.queue
            let layout = try ReplicaFile.layout(of: engine, path)
            knownLayout = Mutex(layout)
            engine.writeWithoutTransaction { StatementCache.setIdentifiers(layout.identifiers, on: $0) }
            local = LocalConnections(to: path, layout.identifiers, durability)
            log = LogCopying(self.path, engineWait)
            switchLogOn()
            try recordLostLog()
            try FileFormat.update(engine, self.path)
            eraseTokens()
        } catch {
            let refusal = ReplicaError(translating: error, "open the replica \"\(path)\"")
            guard refusal.code == .notAReplica, let file = OtherFile(textAt: path) else { throw refusal }
            throw ReplicaError(.notAReplica, "Cannot open the replica \"\(path)\": \(file.words)")
        }
        do {
            // Settling deletes the marks. Corruption that only a check of SQLite finds has to be found before that.
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
            // Another program has migrated the file since its schema was read, which is possible at any time. The next call
            // throws the error.
        } catch let error as ReplicaError where error.code == .busy {
            // Another program is in a transaction. Readers see the last commit, and the next write settles the marks.
        }
    }

    deinit {
        log.tidy(engine)
    }

    /// Closes the file. The replica cannot be used afterwards.
    public func close() throws {
        log.tidy(engine)
        try engineConnection.close()
        try local.close()
    }

    /// Settles the tracked writes of other programs: derives the rows and outbox entries that follow from them.
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

    /// Runs a transaction of the library's user, in which Roost's triggers fire.
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

    /// Reads on the engine's connection, which has its own last write cached, so that no other connection has to be opened.
    /// It may wait for a page that is being applied.
    ///
    /// Roost's own tables do not depend on the version of the schema. A `body` that reads the tables of entities calls
    /// ``checkTables(_:)`` first.
    ///
    /// - Parameter isSnapshot: Whether all reads of `body` have to see one snapshot.
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

    /// Runs Roost's own writes, during which Roost's triggers do not fire. Earlier tracked writes of other programs are
    /// settled first.
    ///
    /// - Parameters:
    ///   - isWork: Whether the transaction is a reason to checkpoint the WAL when the file is closed.
    ///   - isRepeatable: Whether losing the commit in a power failure loses nothing, because the server returns it again or
    ///     the next exchange writes it again. The commit then does not wait for the disk. The next durable commit makes it
    ///     durable.
    ///   - isTold: Whether observers must be notified after the commit (``observeRemoteChanges(_:)``): server data may have
    ///     changed rows.
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

    /// Runs Roost's own writes like ``engineWrite(_:isWork:isRepeatable:isTold:_:)``, without settling the writes of other
    /// programs.
    func unsettledWrite<Result>(
        _ action: String, isWork: Bool = true, isRepeatable: Bool = false, _ body: (Database) throws -> Result
    ) throws -> Result {
        do {
            if isWork { log.recordWrite() }
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
            // The rollback also reverts changes of tables, so the next transaction compares the layout again.
            knownTables.withLock { $0 = nil }
            throw ReplicaError(translating: error, action)
        }
    }

    /// Runs `body` with a new connection, which has nothing cached.
    func withSecondConnection<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
        do {
            let second = try ReplicaFile.open(path, durability, layout.identifiers)
            defer { try? second.close() }
            return try body(second.queue)
        } catch {
            throw ReplicaError(translating: error, "look at the file")
        }
    }

    /// Replaces ``layout``, inside the transaction that has verified the new one.
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
    /// Processes the server's reply to push `number`.
    ///
    /// - Parameters:
    ///   - results: One result for each transaction of the push.
    ///   - current: The server's slots of refused records.
    ///   - isContact: Whether to record a successful contact with the server.
    ///   - page: The page that came with the reply. The same transaction applies it if all changes were accepted and
    ///     applying it only stores values of the state. Otherwise the caller has to apply it
    ///     (``apply(_:purged:since:checkpoint:serverTime:isLast:)``).
    @discardableResult
    package func acknowledge(
        _ number: UInt64, _ results: [PushReply.Result], current: [RecordState], isWhole: Bool = true,
        isContact: Bool = false, with page: EmptyPage? = nil
    ) throws -> Acknowledged {
        // The server repeats only its last reply. If several pushes are sealed, only the reply to the last one can be lost
        // without harm.
        let isLast = try engineLook("read the sealed pushes") { database in
            try database.query("SELECT max(number) FROM roost_push").first { $0.integer(0) } == Int64(clamping: number)
        }
        let isRepeatable = isLast && results.last != .staged
        var done = Acknowledged()
        var isTold = false
        try engineWrite("take in the reply to a push", isRepeatable: isRepeatable) { database in
            let known = try database.consumeSealed(number)
            // The push was acknowledged before: the process died after that commit, and the server has repeated its reply.
            guard
                let (carried, transactions) = try known.map({ ([], $0.transactions) })
                    ?? sealedTransactions(of: number, database)
            else { return }
            let state = StateStore(database: database)
            let before = try ControlRow(database)
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
                    // Later sealed pushes may hold the rest of this transaction. They are still sent, and the server refuses
                    // them for the refusal of this part. The replica reverts the whole transaction now, so that no reader
                    // sees a part of it meanwhile.
                    let isLast = index == transactions.count - 1
                    let rest = try isLast ? restOfTransaction(after: number, database) : []
                    hasRest = !rest.isEmpty
                    // Of changes that other programs wrote, only the one that the server names is refused.
                    if parts.isEmpty, rest.isEmpty, let index = refusal.index,
                        try acknowledgement.refuseAlone(changes, at: index, reason: refusal.reason)
                    {
                        break
                    }
                    try acknowledgement.refuse(changes + rest, reason: refusal.reason)
                case .staged: break
                }
            }
            let contact = ContactNote(database: database, now: now).success(after: before.lastFailure)
            let taken = Int64(clamping: max(before.pushNumber, number))
            var values: [(name: StateStore.Name, value: Value)] = [(.pushNumber, .integer(taken))]
            let simple =
                try isAccepted && acknowledgement.revertsNothing && page?.isSimple(before, database) == true
                ? page : nil
            if isContact || simple != nil { values += contact }
            if let simple {
                values += simple.values(before)
                done.page = simple.report(before, acknowledgement.digest, now: now)
            }
            // The page may complete a pull whose earlier pages have not notified the observers.
            isTold = !acknowledgement.revertsNothing || (simple != nil && before.behind != nil)
            done.beaten = try acknowledgement.finish(
                current: current, setting: values, offset: simple.flatMap { offset(of: $0.serverTime) })
            // The server also treats the push that follows a refused part as the rest of the refused transaction
            // (``Sealed/leftParts``).
            let isStaged = results.last == .staged || hasRest
            let forget = try database.query("DELETE FROM roost_push WHERE number < ?1 OR (number = ?1 AND ?2 = 0)")
            // With two transactions in the push, the first has ended: the next push continues only the second.
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
                // The server has stored none of the staged changes, but compares later stamps with the last of them.
                let last = transactions.last?.last?.stamp.time ?? 0
                try state.set(.seen, .integer(max(try state.integer(.seen) ?? 0, Int64(clamping: last))))
            }
        }
        if isTold { remoteChanges.tell() }
        return done
    }

    /// Gives every pending change a new stamp, after the server has found a stamp ahead of its clock.
    package func restamp(serverTime: UInt64) throws {
        try engineWrite("restamp local changes", isTold: true) { database in
            try Restamping(database: database).restamp(serverTime: serverTime, wall: UInt64(clamping: now))
            // A pending put may now be greater than a delete that was greater before.
            try Outbox(database: database).unsettleAll()
            try Settlement(database: database, layout: layout).settle()
        }
    }

    /// Applies a page of pulled records and its checkpoint, in one transaction.
    ///
    /// Applying the same page twice leaves the replica as after the first time (invariant I6). During a full
    /// resynchronisation (``pullAnew(_:)``) a page is only stored, and the last page applies all of them.
    ///
    /// - Parameters:
    ///   - purged: Records that the server has purged. They come before the page's records.
    ///   - since: The checkpoint that the page continues from. If the replica's checkpoint is another one by now, nothing is
    ///     applied and the report says so: the reply to a push, or a table that another program dropped, has started a full
    ///     resynchronisation meanwhile.
    ///   - isLast: Whether the page brings the replica up to date.
    package func apply(
        _ records: [RecordState], purged: [RecordKey] = [], since: PageStart = .anywhere, checkpoint: [UInt8]?,
        serverTime: UInt64?, isLast: Bool = true
    ) throws -> ApplyReport {
        #if ROOST_SEEDED_BUGS
            if SeededBug.checkpointBeforePage.isOn, let checkpoint, case .checkpoint(let before, _) = since,
                try self.checkpoint() == before
            {
                try engineWrite("mistake") { try StateStore(database: $0).set(.checkpoint, .data(checkpoint)) }
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
            let before = try ControlRow(database)
            let isAnew = before.pullingAnew != nil
            let missing = MissingRecords(database: database, layout: layout)
            let asked = try missing.keys()
            if case .checkpoint(let since, let anew) = since,
                try since != before.checkpoint || since == nil && isAnew && anew != state.anew
            {
                var report = ApplyReport()
                report.isOvertaken = true
                return report
            }
            if let checkpoint, !isAnew, records.isEmpty, purged.isEmpty, before.checkpoint == checkpoint {
                // An empty reply to a long poll. Nothing has to be written, except occasionally the offset of the server's
                // clock.
                if let offset = serverTime.flatMap(offset) { try state.learnOffset(offset) }
                var report = ApplyReport()
                report.digest = before.digest
                report.lost = try LostRecords(database: database).count
                report.isScrubDue = isLast && ScrubState.isDue(at: now, last: before.scrubbed)
                return report
            }
            let behind = before.behind
            let isFirst = behind == .first || before.begins
            var values: [(name: StateStore.Name, value: Value)] = []
            if let checkpoint { values.append((.checkpoint, .data(checkpoint))) }
            if isLast {
                values += ContactNote(database: database, now: now).success(after: before.lastFailure)
            }
            let rest: PullProgress? = isLast ? nil : isFirst ? .first : .some
            if rest != behind { values.append((.behind, rest.map { .integer($0.rawValue) } ?? .null)) }
            let offset = serverTime.flatMap(offset)
            var report: ApplyReport
            if isAnew {
                report = try storeCopy(records, purged, isLast: isLast, database)
                try state.set(values, offset: offset)
                report.lost = try LostRecords(database: database).count
            } else {
                var page = try PageApplication(database, layout, before, count: records.count, now: now)
                try page.apply(records, purged: purged, isFirst: isFirst)
                report = try page.finish(setting: values, offset: offset)
                if page.hasLost { report.lost = try LostRecords(database: database).count }
            }
            try missing.recordRestored(asked, Journal(database: database, now: now))
            report.isNoted = isLast
            // A full resynchronisation compares all contents itself and has recorded that, so the time of the last
            // comparison is read again.
            report.isScrubDue =
                try isLast
                && (isAnew
                    ? ScrubState(database: database).isDue(at: now)
                    : ScrubState.isDue(at: now, last: before.scrubbed))
            return report
        }
        if report.isNoted { remoteChanges.tell() }
        return report
    }

    /// The lead of the server's clock over this one, in milliseconds; `nil` if the server does not report its time.
    private func offset(of serverTime: UInt64) -> Int64? {
        guard serverTime > 0 else { return nil }
        let offset = Int64(min(serverTime, HybridClock.millisecondsMax)) - now
        // Differences below 2 seconds are attributed to the network, not to the clock.
        return abs(offset) < 2000 ? 0 : offset
    }
}
