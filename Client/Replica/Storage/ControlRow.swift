internal import GRDB
internal import RoostModel

/// The row of `roost_control`, read by one statement: the identity of the replica, and the progress of its exchanges.
///
/// Each property is decoded once. Any storage class is accepted, because a flipped bit can turn a blob into text. Single values are
/// read and written through ``StateStore``.
struct ControlRow {
    let replica: ReplicaID
    /// The earlier identities of this replica, which its changes carried.
    let formerReplicas: Set<ReplicaID>
    /// The checkpoint of the last applied page; `nil` before the first, and at the start of a full resynchronisation.
    let checkpoint: [UInt8]?
    /// The digest of the confirmed slots.
    let digest: ScopeDigest
    /// The number of the last acknowledged push; 0 before the first.
    let pushNumber: UInt64
    /// The newest clock reading that this replica has received.
    let seen: Int64
    /// `nil` where the replica was up to date after its last pull.
    let behind: PullProgress?
    /// The reason of the full resynchronisation under way; `nil` where there is none. ``PullAnewReason/refused`` reads as
    /// ``PullAnewReason/differs``, which pulls and pushes treat alike.
    let pullingAnew: PullAnewReason?
    /// The time of the last complete scrub in milliseconds since 1970.
    let scrubbed: Int64?
    /// The limits of a push while Roost searches for a transaction that the server refuses.
    let transactionsPerPush: Int?
    let changesPerPush: Int?
    /// The reason of the last failed exchange; `nil` after a successful one.
    let lastFailure: String?

    /// The statement that reads the row. A condition may follow it.
    static let selectSQL = """
        SELECT replica, former_replicas, checkpoint, digest, push_number, seen, behind, pulling_anew, damaged, scrubbed,
          transactions_per_push, changes_per_push, last_failure FROM roost_control WHERE one = 1
        """

    /// - Throws: ``ReplicaError/Code/corrupt`` where the row is missing.
    init(_ database: Database) throws {
        guard let row = try Self.first(Self.selectSQL, database) else { throw Self.isLost }
        self = row
    }

    /// Reads the row where a statement selects it.
    ///
    /// - Parameter sql: ``selectSQL`` with further conditions.
    /// - Returns: `nil` where a condition is not true, or the row is missing.
    static func first(_ sql: String, _ database: Database) throws -> ControlRow? {
        try database.query(sql).first { ControlRow($0) }
    }

    private init(_ row: Query) {
        replica = ReplicaID(stored: row.optionalText(0))
        formerReplicas = Set(formerReplicasStored: row.optionalText(1))
        checkpoint = row.optionalBytes(2)
        digest = ScopeDigest(stored: row.optionalBytes(3))
        pushNumber = UInt64(clamping: row.integer(4))
        seen = row.integer(5)
        behind = row.optionalInteger(6).map { PullProgress(rawValue: $0) ?? .some }
        pullingAnew = PullAnewReason(stored: row.optionalText(7), isDamaged: !row.isNull(8))
        scrubbed = row.optionalInteger(9)
        transactionsPerPush = row.optionalInteger(10).map { Int($0) }
        changesPerPush = row.optionalInteger(11).map { Int($0) }
        lastFailure = row.optionalText(12)
    }

    /// Whether the replica has never applied a page.
    var begins: Bool { checkpoint == nil && pullingAnew == nil }

    static let isLost = ReplicaError(
        .corrupt,
        "Cannot read where the replica stands: the table \"roost_control\" has lost its row. Run \"roost repair\" on it."
    )
}

extension ReplicaID {
    /// The identity that a text of the state names; unregistered where it names none.
    init(stored text: String?) { self = text.flatMap { ReplicaID($0) } ?? .unregistered }
}

extension ScopeDigest {
    /// The digest that bytes of the state hold; that of no records where they hold none.
    init(stored bytes: [UInt8]?) { self = bytes.flatMap { ScopeDigest(bytes: $0) } ?? ScopeDigest() }
}

extension Set<ReplicaID> {
    /// The identities that a text of the state names.
    init(formerReplicasStored text: String?) {
        self = Set(text?.parts(at: " ").compactMap { ReplicaID($0) } ?? [])
    }
}

extension PullAnewReason {
    /// The reason that the state names; `nil` where it names none.
    ///
    /// - Parameter isDamaged: Whether damaged records are to be written again.
    init?(stored text: String?, isDamaged: Bool) {
        guard let reason = text.flatMap({ PullAnewReason(rawValue: $0) }) else { return nil }
        self = reason == .differs && isDamaged ? .damaged : reason
    }
}
