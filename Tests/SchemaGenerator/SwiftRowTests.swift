import RoostModel
import SchemaGenerator
import Testing

/// The generated structs of rows, reading and writing values.
@Suite struct SwiftRowTests {
    private static let person = RecordID(derivedFrom: ["person"])
    private static let spending = Spending(
        id: RecordID(derivedFrom: ["spending"]), content: "Pizza", amount: 4250, currency: "EUR", date: "2026-07-14",
        split: #"{"mode":"even"}"#, note: "late", person: person)

    /// The row that a replica returns: booleans as 0 and 1.
    private static func row(_ id: RecordID, _ columns: [String], _ values: [String: Value]) -> [Value] {
        columns.map { column in
            switch column == "id" ? .data(id.bytes) : values[column] ?? .null {
            case .boolean(let flag): .integer(flag ? 1 : 0)
            case let value: value
            }
        }
    }

    @Test func generatingAgainGivesTheSameBytes() throws {
        let schema = try Schema(json: SourceFiles.text("Client/Cekikapeye/cekikapeye.schema.json"))
        let source = SwiftGenerator.source(for: schema, form: .structs)
        #expect(try source == SourceFiles.text("Tests/SchemaGenerator/Generated/ExpenseRows.swift"))
    }

    @Test func namesAndColumnsAreThoseOfTheSchema() throws {
        let schema = try Schema(json: CekikapeyeSchema.text)
        #expect([GroupSettings.entityName, Person.entityName, Spending.entityName] == schema.entities.map(\.name))
        #expect(
            [GroupSettings.tableName, Person.tableName, Spending.tableName] == ["groupsettings", "person", "spending"])
        #expect(Person.columns == ["id", "name", "active", "createdAt"])
    }

    @Test func groupComesBackFromItsRow() throws {
        let group = GroupSettings(id: Self.person, name: "Corse", currency: "EUR", exponent: 2)
        #expect(try GroupSettings(row: Self.row(group.id, GroupSettings.columns, group.values)) == group)
    }

    @Test func personComesBackFromItsRow() throws {
        let person = Person(id: Self.person, name: "Ana", active: false, createdAt: 1_784_021_400_000)
        #expect(try Person(row: Self.row(person.id, Person.columns, person.values)) == person)
    }

    @Test func spendingComesBackFromItsRow() throws {
        let spending = Self.spending
        #expect(try Spending(row: Self.row(spending.id, Spending.columns, spending.values)) == spending)
    }

    @Test func defaultsAreThoseOfTheSchema() {
        #expect(Person(id: Self.person, name: "Ana").active)
        #expect(Self.spending.exponent == 2)
        #expect(Self.spending.kind == "expense")
        #expect(Self.spending.category == nil)
    }

    @Test func rowWithANilThatIsRequiredNamesTheColumn() {
        let row = Self.row(Self.spending.id, Spending.columns, ["content": .string("Pizza")])
        let error = #expect(throws: CekikapeyeRowError.self) { try Spending(row: row) }
        #expect(error?.column == "amount")
    }

    @Test func rowOfAnotherLengthIsRefused() {
        let error = #expect(throws: CekikapeyeRowError.self) { try GroupSettings(row: [.null]) }
        #expect(
            error?.description
                == "Cannot read a row of \"GroupSettings\": it has another number of columns. Select its columns.")
    }
}

extension SwiftRowTests {
    /// The compiler reads bytes: a `#` followed by a combining mark ends a literal, although it is another `Character`.
    @Test func noDefaultEndsTheLiteralOfTheSchema() throws {
        let attack = "\"\"\"##\u{301}; let injected = 1 //"
        let schema = try Schema(
            json: """
                {"format": 1, "name": "trip", "version": 1, "entities": [{"id": 1, "name": "Person", "attributes": [
                  {"id": 1, "name": "name", "type": "string", "default": \(JSONValue.string(attack).text)}], "relationships": []}]}
                """)
        for form in [SwiftForm.structs, .classes] {
            let source = SwiftGenerator.source(for: schema, form: form)
            #expect(
                source.utf8.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual("        \"\"\"###".utf8) }
            )
        }
    }
}
