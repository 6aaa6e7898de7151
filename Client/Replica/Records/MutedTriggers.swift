internal import GRDB
internal import RoostModel

/// User triggers that are dropped for one statement, or for the rest of a transaction, because they prevent a write of Roost's
/// own. The other user triggers run.
///
/// No other connection sees them missing: they are created again before the transaction commits, at their positions in SQLite's
/// schema table.
struct MutedTriggers {
    /// The number of failures beyond which a trigger stays muted for the rest of the transaction. Muting and unmuting it for each
    /// row takes longer than writing the row.
    private static let failuresMax = 16
    /// The largest number of triggers that are tried one by one.
    private static let candidatesMax = 32

    private var muted: [SchemaItem] = []
    private var failures: [String: Int] = [:]

    /// Returns the user triggers that are not muted, with those that raise first.
    ///
    /// - Returns: An empty list where there are too many to try one by one.
    func candidates(_ database: Database) throws -> [SchemaItem] {
        let found = try SchemaItem.all(database).filter { $0.kind == .trigger && !$0.isRoosts }
        guard found.count <= Self.candidatesMax else { return [] }
        return found.filter(Self.raises) + found.filter { !Self.raises($0) }
    }

    private static func raises(_ item: SchemaItem) -> Bool { SQLName.folded(item.sql).contains("raise") }

    /// Mutes user triggers that may roll back the transaction, until ``unmuteAll(_:)``.
    mutating func muteThoseThatRollBack(_ database: Database) throws {
        for item in try candidates(database) where SQLName.folded(item.sql).contains("rollback") {
            try mute(item, database)
            muted.append(item)
        }
    }

    /// Mutes user triggers that stop later triggers although the row is written, until ``unmuteAll(_:)``. SQLite does not report
    /// this.
    ///
    /// - Returns: The names of the muted triggers.
    mutating func muteThoseThatEndOthers(_ database: Database) throws -> [String] {
        let all = try candidates(database)
        guard all.count > 1 else { return [] }
        let ending = all.filter { item in
            let words = SQLName.folded(item.sql).utf8.split { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
                .map { String(decoding: $0, as: UTF8.self) }
            return words.contains("after") && zip(words, words.dropFirst()).contains { $0 == "raise" && $1 == "ignore" }
        }
        for item in ending { try mute(item, database) }
        muted += ending
        return ending.map(\.name)
    }

    func mute(_ item: SchemaItem, _ database: Database) throws {
        try database.executeOne("DROP TRIGGER main.\(SQLName.quoted(item.name))")
    }

    func unmute(_ item: SchemaItem, _ database: Database) throws {
        try database.makeAgain(item.sql)
        try database.withWritableSchema {
            let query = try database.query("UPDATE sqlite_schema SET rowid = ? WHERE type = 'trigger' AND name = ?")
            query.bind(1, item.number)
            query.bind(2, item.name)
            try query.run()
        }
    }

    /// Unmutes a trigger that has prevented one statement. A trigger that is broken, or fails often, stays muted until
    /// ``unmuteAll(_:)``.
    ///
    /// - Parameter isBroken: Whether the trigger can never run, for example because it needs a function that only its program
    ///   has.
    mutating func recordFailure(of item: SchemaItem, isBroken: Bool, _ database: Database) throws {
        failures[item.key, default: 0] += 1
        if isBroken || failures[item.key, default: 0] > Self.failuresMax {
            muted.append(item)
        } else {
            try unmute(item, database)
        }
    }

    mutating func unmuteAll(_ database: Database) throws {
        for item in muted { try unmute(item, database) }
        self = MutedTriggers()
    }
}
