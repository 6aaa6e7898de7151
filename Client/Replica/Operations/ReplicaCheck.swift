internal import GRDB
public import RoostModel

/// The result of checking a whole replica file by ``Replica/check()``.
public struct ReplicaCheck: Hashable, Sendable {
    /// Faults of the file in SQLite's words, at most 20 lines; empty if there are none.
    public var faults: [String] = []
    /// A description of the fault of the outbox or of the marks; `nil` if there is none.
    public var waitingFault: String?
    /// Records with pending changes. Their content exists in this file only and cannot be compared.
    public var waiting = 0
    /// Records whose content was compared with the server's confirmed content.
    public var compared = 0
    /// Records that cannot be compared, because another program wrote them in an unusual form.
    public var irregular = 0
    /// The first of the records that cannot be compared, at most ``irregularNamedMax``.
    public var irregularRecords: [RecordKey] = []
    /// The maximum number of irregular records that are named.
    public static let irregularNamedMax = 20
    /// Records whose content differs from the server's confirmed content.
    public var damaged: [RecordKey] = []
    /// Untracked rows that have become local changes.
    public var adopted = 0
    /// Whether bookkeeping of the server's records is corrupt: stamps, hashes, or an index, which was rebuilt.
    public var isBookkeepingDamaged = false
    /// References of other programs' tables to rows that are not there. They are no damage: an undelete of the records makes
    /// them whole, and Roost leaves them as they are.
    public var dangling: [DanglingReferences] = []
    /// Whether contents could be compared. They cannot while pages of a synchronisation are outstanding.
    public var isComparable = true
    /// The reason why contents could not be read; `nil` if they could.
    public var unreadable: String?

    /// Whether the next synchronisation rewrites contents from the server.
    public var isRepaired: Bool { !damaged.isEmpty || isBookkeepingDamaged }

    /// Whether nothing is wrong.
    public var isSound: Bool { faults.isEmpty && waitingFault == nil && unreadable == nil && !isRepaired }

    /// Makes the result of a check that has found nothing wrong.
    public init() {}
}

extension Replica {
    /// Checks the whole file: SQLite's own check, the outbox, and the content of every confirmed record. It takes some
    /// seconds for each million records. Other programs may write meanwhile.
    ///
    /// Corrupt content is recorded, and the next synchronisation rewrites it from the server. Pending changes stay.
    ///
    /// - Throws: ``ReplicaError`` if the file cannot be read at all, or a finding cannot be written.
    public func check() throws -> ReplicaCheck {
        var check = ReplicaCheck()
        check.faults = try faults(atMost: 20)
        // Makes the next synchronisation check the file immediately and repair it. If this write fails, the check takes
        // place at its regular time.
        if !check.faults.isEmpty {
            try? unsettledWrite("have the file looked at", isWork: false) { database in
                let state = StateStore(database: database)
                try state.set(.scrubbed, .integer(0))
                try state.set(.scrubPlace, .null)
            }
        }
        do {
            // A program that keeps a replica open has not compared the layout since its last transaction.
            if check.faults.isEmpty { try verifyLayout() }
            try checkWaiting(&check)
            check.dangling = try danglingReferences()
            check.isComparable = try engineLook("look at the state") { try ScrubState(database: $0).isComparable }
            if check.isComparable {
                try checkContents(&check)
                check.adopted = try adoptStrays()
            }
        } catch let error as ReplicaError where error.code == .corrupt {
            check.unreadable = error.message
        }
        return check
    }

    /// Returns the faults that SQLite finds in the file. It takes some 4 s for each million records.
    func faults(atMost count: Int) throws -> [String] {
        do {
            return try engineLook("check the file") { try FileFaults.ofFile(atMost: count, $0) }
        } catch let error as ReplicaError where error.code == .corrupt {
            return [error.message]
        }
    }

    private func checkWaiting(_ check: inout ReplicaCheck) throws {
        check.waitingFault = try engineLook("check what waits") {
            try OutboxCheck(database: $0).fault()
        }
        check.waiting = try engineLook("count what waits") { try Marks(database: $0).withOutbox().count }
    }

    private func checkContents(_ check: inout ReplicaCheck) throws {
        var place: ScrubProgress?
        repeat {
            let slice = try look(from: place)
            if !slice.isSound, let damaged = try recordDamage(slice) {
                check.damaged += damaged
                if damaged.isEmpty || slice.isWrongAsAWhole { check.isBookkeepingDamaged = true }
            }
            check.compared += slice.compared
            check.irregular += slice.irregular.count
            let room = ReplicaCheck.irregularNamedMax - check.irregularRecords.count
            check.irregularRecords += slice.irregular.prefix(room)
            place = slice.next
        } while place != nil
    }
}
