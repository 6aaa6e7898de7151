internal import GRDB
internal import RoostModel

/// Triggers of other programs that are taken out of the file for a statement, or for the rest of a transaction, because they keep Roost's
/// own write from being done; the others run.
///
/// Nobody else sees them missing: they are back before the transaction is committed, at their places in SQLite's list.
struct MutedTriggers {
    /// A trigger that has failed so often is left out for the rest of the transaction: taking it out and back for each row takes longer
    /// than the row.
    private static let failuresMax = 16
    /// More are not tried one by one.
    private static let candidatesMax = 32

    private var muted: [SchemaItem] = []
    private var failures: [String: Int] = [:]

    /// The triggers that run, those first that raise.
    func candidates(_ database: Database) throws -> [SchemaItem] {
        let found = try SchemaItem.all(database).filter { $0.kind == .trigger && !$0.isRoosts }
        guard found.count <= Self.candidatesMax else { return [] }
        return found.filter(Self.raises) + found.filter { !Self.raises($0) }
    }

    private static func raises(_ item: SchemaItem) -> Bool { SQLName.folded(item.sql).contains("raise") }

    /// Mutes those that may roll back the transaction, until ``unmuteAll(_:)``.
    mutating func muteThoseThatRollBack(_ database: Database) throws {
        for item in try candidates(database) where SQLName.folded(item.sql).contains("rollback") {
            try mute(item, database)
            muted.append(item)
        }
    }

    /// Mutes those that keep later triggers from running although their row is written, which nothing tells of, until ``unmuteAll(_:)``.
    ///
    /// - Returns: Their names.
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

    /// Unmutes a trigger that has kept one statement from being done; where it will do so again, at the end only.
    ///
    /// - Parameter isBroken: Whether it can never run, for example because it needs a function that only its program has.
    mutating func noteFailure(of item: SchemaItem, isBroken: Bool, _ database: Database) throws {
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
