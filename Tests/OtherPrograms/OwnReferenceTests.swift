import TestProcesses
import Testing

/// Tables of other programs that refer to records, with and without constraints. Docs/other-programs/relationships.md has the
/// same as recipes.
@Suite struct OwnReferenceTests {
    struct Constraint: Case {
        let name: String
        /// SQL that follows the type of the column.
        let sql: String
        var isDeclared: Bool { !sql.isEmpty }
    }

    static let all = [
        Constraint(name: "no constraint", sql: ""),
        Constraint(name: "no action", sql: "references spending(id)"),
        Constraint(name: "deferred", sql: "references spending(id) deferrable initially deferred"),
        Constraint(name: "restrict", sql: "references Spending on delete restrict"),
        Constraint(name: "set null", sql: "references spending(id) on delete set null"),
        Constraint(name: "cascade", sql: "references spending(id) on delete cascade"),
    ]

    private static let notes = "select text, hex(spending) from note order by id"

    private func makeNotes(_ constraint: Constraint, _ device: Device) throws {
        try device.write(
            """
            create table note(id integer primary key, text text, spending blob \(constraint.sql));
            insert into note(text, spending) values ('of dinner', \(key(5))), ('of museum', \(key(8)))
            """)
    }

    private func undelete(_ entity: String, _ number: Int, _ device: Device) throws {
        try device.check("undelete", entity, String(key(number).dropFirst(2).dropLast()))
    }

    /// A row that refers to a record stays as it is when another device deletes the record, or what it depends on. `roost check`
    /// counts it, and it is whole again after an undelete.
    @Test(arguments: all) func aPulledDeleteLeavesThemAsTheyAre(_ constraint: Constraint) throws {
        try fact("aPulledDeleteLeavesThemAsTheyAre", constraint.name) {
            let devices = try TwoDevices()
            try makeNotes(constraint, devices.first)
            let notes = try devices.first.rows(Self.notes)
            try devices.second.write(
                "delete from spending where id = \(key(5)); delete from person where id = \(key(2))")
            try devices.synchronise()
            #expect(try devices.first.rows("select content from spending order by content") == ["boat", "taxi"])
            #expect(try devices.first.rows(Self.notes) == notes)
            let check = try devices.first.check("check").standard
            let sentence = "2 references of \"note\" to rows of \"spending\""
            #expect(check.contains(sentence) == constraint.isDeclared, "\(check)")
            let json = try devices.first.check("check", "--json").standard
            #expect(json.contains("\"dangling\":[]") != constraint.isDeclared, "\(json)")
            try undelete("Spending", 5, devices.second)
            try undelete("Person", 2, devices.second)
            try devices.expectAgreement()
            #expect(try devices.first.rows(Self.notes) == notes)
            #expect(try devices.first.rows("pragma foreign_key_check") == [])
            #expect(try !devices.first.check("check").standard.contains("dangling"))
        }
    }

    /// A command of Roost deletes like another device, whatever the constraints say.
    @Test(arguments: all) func aCommandLeavesThemAsTheyAre(_ constraint: Constraint) throws {
        try fact("aCommandLeavesThemAsTheyAre", constraint.name) {
            let devices = try TwoDevices()
            try makeNotes(constraint, devices.first)
            let notes = try devices.first.rows(Self.notes)
            try devices.first.check("delete", "Person", "--where", "name = 'Ana'")
            #expect(try devices.first.rows("select content from spending") == ["museum"])
            #expect(try devices.first.rows(Self.notes) == notes)
            try undelete("Person", 1, devices.first)
            #expect(try devices.first.rows("pragma foreign_key_check") == [])
        }
    }
}
