internal import Synchronization

/// A column of `roost_control` that is set by itself or with others; its number is that of its parameter in ``ControlColumns/updateSQL``.
enum ControlColumn: Int32, CaseIterable {
    case reading = 1
    case clockOffset
    case replica, formerReplicas
    case checkpoint, digest, pushNumber, seen, sealed
    case behind, pullingAnew, damaged, scrubbed
    case transactionsPerPush, changesPerPush
    case lastContact, lastFailure, failingSince, nextAttempt

    /// Its name in the table.
    var name: String { Self.names[Int(rawValue) - 1] }

    /// The statement that reads it alone.
    var selectSQL: String { Self.selectStatements[Int(rawValue) - 1] }

    /// What values of earlier files are made. The table takes any form: SQLite looks at the whole row with each change of it, and would refuse
    /// them all for one bit that makes a text of a blob.
    var type: String {
        switch self {
        case .replica, .formerReplicas, .pullingAnew, .lastFailure: "TEXT"
        case .checkpoint, .digest: "BLOB"
        default: "INTEGER"
        }
    }

    private static let names = allCases.map { "\($0)".snakeCased }
    private static let selectStatements = names.map { "SELECT \($0) FROM roost_control" }
}

extension StateStore.Name {
    /// The column of `roost_control` that holds it; `nil` where it is a row of `roost_state`.
    var column: ControlColumn? {
        switch self {
        case .replica: .replica
        case .formerReplicas: .formerReplicas
        case .checkpoint: .checkpoint
        case .digest: .digest
        case .pushNumber: .pushNumber
        case .seen: .seen
        case .sealed: .sealed
        case .behind: .behind
        case .pullingAnew: .pullingAnew
        case .damaged: .damaged
        case .scrubbed: .scrubbed
        case .transactionsPerPush: .transactionsPerPush
        case .changesPerPush: .changesPerPush
        case .lastContact: .lastContact
        case .lastFailure: .lastFailure
        case .failingSince: .failingSince
        case .nextAttempt: .nextAttempt
        case .schema, .schemaVersion, .scope, .scopeName, .server, .token, .role, .deviceName, .nextSchema,
            .format, .layout, .nextSchemaVersion, .minimumVersion, .fingerprint, .renewalNonce, .renewalFingerprint,
            .joinNonce, .tokenLeft, .serverIdentity,
            .journalDays, .timesAnew, .journalRemoved, .lostLog, .untold, .scrubPlace, .salvaged:
            nil
        }
    }
}

/// Columns that are set together.
struct ControlColumns: Hashable {
    private var bits: UInt32 = 0

    var isEmpty: Bool { bits == 0 }

    mutating func insert(_ column: ControlColumn) { bits |= 1 << UInt32(column.rawValue) }

    private func contains(_ column: ControlColumn) -> Bool { bits & 1 << UInt32(column.rawValue) != 0 }

    /// The statement that sets them; the clock is raised and never lowered.
    var updateSQL: String {
        Self.statements.withLock { statements in
            if let known = statements[self] { return known }
            let settings = ControlColumn.allCases.filter(contains).map { column in
                let value = "?\(column.rawValue)"
                return "\(column.name) = " + (column == .reading ? "max(reading, \(value))" : value)
            }
            let made = "UPDATE roost_control SET \(settings.joined(separator: ", ")) WHERE one = 1"
            statements[self] = made
            return made
        }
    }

    /// Put together once: few of the ways to choose are ever met.
    private static let statements = Mutex<[ControlColumns: String]>([:])
}

extension String {
    /// A name of Swift's as SQL spells it.
    fileprivate var snakeCased: String {
        reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
