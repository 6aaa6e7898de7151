internal import Synchronization

/// A column of `roost_control`, set alone or together with others. Its raw value is the number of its parameter in
/// ``ControlColumns/updateSQL``.
enum ControlColumn: Int32, CaseIterable {
    case reading = 1
    case clockOffset
    case replica, formerReplicas
    case checkpoint, digest, pushNumber, seen, sealed
    case behind, pullingAnew, damaged, scrubbed
    case transactionsPerPush, changesPerPush
    case lastContact, lastFailure, failingSince, nextAttempt

    /// The name of the column in the table.
    var name: String { Self.names[Int(rawValue) - 1] }

    /// The statement that reads the column alone.
    var selectSQL: String { Self.selectStatements[Int(rawValue) - 1] }

    /// The type to which values of earlier formats are cast. The table itself declares `ANY`. SQLite checks the whole row of a
    /// strict table with each update, and would refuse every update after one flipped bit that turns a blob into text.
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
    /// The column of `roost_control` that stores the value; `nil` where it is a row of `roost_state`.
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
            .joinNonce, .tokenLeft, .serverIdentity, .identifiers,
            .journalDays, .timesAnew, .refusedEdit, .journalRemoved, .lostLog, .untold, .scrubPlace, .salvaged:
            nil
        }
    }
}

/// A set of columns that one statement updates.
struct ControlColumns: Hashable {
    private var bits: UInt32 = 0

    var isEmpty: Bool { bits == 0 }

    mutating func insert(_ column: ControlColumn) { bits |= 1 << UInt32(column.rawValue) }

    private func contains(_ column: ControlColumn) -> Bool { bits & 1 << UInt32(column.rawValue) != 0 }

    /// The statement that sets the columns. It raises the clock and never lowers it.
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

    /// The statements built so far. Few of the possible combinations of columns are used.
    private static let statements = Mutex<[ControlColumns: String]>([:])
}

extension String {
    /// A Swift name in the snake case of SQL.
    fileprivate var snakeCased: String {
        reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
