internal import GRDB
public import RoostModel

/// What a look at a whole replica file has found, by ``Replica/check()``.
public struct ReplicaCheck: Hashable, Sendable {
    /// What SQLite finds wrong with the file, in its words; at most 20 lines, none where nothing is.
    public var faults: [String] = []
    /// What is wrong with the list of changes that wait, in words; `nil` where nothing is.
    public var waitingFault: String?
    /// Records with changes that wait. Their content is in this file only, so that nothing can be said of it.
    public var waiting = 0
    /// Records whose content was compared with what the server has confirmed.
    public var compared = 0
    /// Records that another program wrote in an unusual form, so that their content cannot be compared.
    public var irregular = 0
    /// The first of the records that cannot be compared, at most ``irregularNamedMax``.
    public var irregularRecords: [RecordKey] = []
    /// How many records that cannot be compared are named.
    public static let irregularNamedMax = 20
    /// Records whose content is not what the server has confirmed.
    public var damaged: [RecordKey] = []
    /// Rows that were written without being tracked, and are local changes now.
    public var adopted = 0
    /// Whether what is known of the server's records is damaged itself: stamps, hashes, or an index, which was made anew.
    public var isBookkeepingDamaged = false
    /// Whether contents could be compared: not while pages of a synchronisation are outstanding.
    public var isComparable = true
    /// Why contents could not be read; `nil` where they could.
    public var unreadable: String?

    /// Whether the next synchronisation writes contents anew from the server.
    public var isRepaired: Bool { !damaged.isEmpty || isBookkeepingDamaged }

    /// Whether nothing is wrong.
    public var isSound: Bool { faults.isEmpty && waitingFault == nil && unreadable == nil && !isRepaired }

    /// Makes the result of a look that has found nothing.
    public init() {}
}

extension Replica {
    /// Looks at the whole file: SQLite's own check, the list of what waits, and the content of every confirmed record. Takes some seconds
    /// for each million of records; other programs may write meanwhile.
    ///
    /// Content that is damaged is written down, so that the next synchronisation writes it anew from the server. Waiting changes stay.
    ///
    /// - Throws: ``ReplicaError`` where the file cannot be read at all, or what was found cannot be written down.
    public func check() throws -> ReplicaCheck {
        var check = ReplicaCheck()
        check.faults = try faults(atMost: 20)
        // The next synchronisation looks at once, and repairs it; where that cannot be written, it looks when its time has come.
        if !check.faults.isEmpty {
            try? unsettledWrite("have the file looked at", isWork: false) { database in
                let state = StateStore(database: database)
                try state.set(.scrubbed, .integer(0))
                try state.set(.scrubPlace, .null)
            }
        }
        do {
            // A program that keeps a replica open has not seen the tables since its last transaction.
            if check.faults.isEmpty { try verifyLayout() }
            try checkWaiting(&check)
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

    /// What SQLite finds wrong with the file; some 4 s for each million of records.
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
        var place: ScrubPlace?
        repeat {
            let slice = try look(from: place)
            if !slice.isSound, let damaged = try noteDamage(slice) {
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
