import CekikapeyeRules
import RoostModel
import TestSupport
import Testing

struct SplitwiseFileTests {
    private static let row = "2026-07-14,Pizza,General,7.20,EUR,3.60,-3.60"

    @Test(arguments: [
        "Date,Description,Category,Cost,Currency,Ana,Bob\n\n\(row)\n",
        "\u{FEFF}Date,Description,Category,Cost,Currency,Ana,Bob\r\n,,,,,,\r\n\(row)\r\n\r\n",
        "Note: does not include group expenses\n\nDate,Description,Category,Cost,Currency,Ana,Bob\n\n\(row)",
        "Datum,Beschreibung,Kategorie,Kosten,Währung,Ana,Bob\n\n\(row)\n",
        "Date,Description,Catégorie,Cost,Devise,Ana,Bob\n\n2026-07-14,Pizza,General,\"7,2\",EUR,\"3,60\",\"-3,60\"\n",
        "Data,Descrizione,Categoria,Costo,Valuta,Ana,Bob\n\n\(row)\n",
        "Date,Description,Category,Cost,Currency,Bob,Ana\n\n2026-07-14,Pizza,Essen,7.20,EUR,-3.60,3.60\n",
        "Date,Description,Category,Cost,Currency,Ana,Bob,Zoé\n\n\"2026-07-14\",\"Pizza\",General,7.20,EUR,3.60,-3.60,0.00\n",
    ])
    func everyFormOfTheFileGivesTheSameKey(text: String) throws {
        let plan = try SplitwiseImporter.plan(for: text)
        #expect(plan.problems.isEmpty)
        #expect(
            plan.expenses.map(\.sourceKey) == [
                "splitwise 10:2026-07-14,5:Pizza,7:expense,3:720,3:EUR,3:Ana,3:360,3:Bob,4:-360,1:1"
            ])
        #expect(plan.people.map(\.sourceKey).contains("splitwise-person 3:Ana"))
    }

    @Test(arguments: [
        ("{\n  \"format\": 1\n}\n", SplitwiseFileError.isJSON), ("\u{FEFF} [1]", .isJSON),
        ("SQLite format 3\0…", .isGroupFile), ("Date,Description,Category,Cost,Currency,Ana,Bob\n\n", .noRows),
        (
            "Date,Description,Category,Cost,Currency,Ana,Bob\n\n2026-07-15,Total balance, , ,EUR,0.00,0.00\n", .noRows
        ),
    ])
    func aFileThatIsNoExportIsNamed(text: String, fault: SplitwiseFileError) {
        #expect(throws: fault) { try SplitwiseImporter.plan(for: text) }
    }

    @Test func equalRowsStayTwoAndKeepTheirKeys() throws {
        let header = "Date,Description,Category,Cost,Currency,Ana,Bob\n\n"
        let once = try SplitwiseImporter.plan(for: header + Self.row + "\n")
        let twice = try SplitwiseImporter.plan(for: header + Self.row + "\n" + Self.row + "\n")
        #expect(Set(twice.expenses.map(\.sourceKey)).count == 2)
        #expect(twice.expenses.first?.sourceKey == once.expenses.first?.sourceKey)
        #expect(twice.notes.map(\.kind).contains(.equalRow(line: 3)))
    }

    @Test func sameNameTwiceStaysTwoPeople() throws {
        let text = "Date,Description,Category,Cost,Currency,Bob,Bob\n\n" + Self.row
        let plan = try SplitwiseImporter.plan(for: text)
        #expect(plan.people.map(\.name) == ["Bob", "Bob (2)"])
        #expect(Set(plan.people.map(\.sourceKey)).count == 2)
        #expect(plan.notes.map(\.kind).contains(.repeatedName("Bob")))
    }

    @Test(arguments: [
        ("1,234", "\"1,234\",JPY,\"1,234\",\"-1,234\"", 1234), ("1.234", "1.234,KWD,1.234,-1.234", 1234),
        ("1.234,5", "\"1.234,50\",EUR,\"1.234,50\",\"-1.234,50\"", 123_450),
        ("1 234,5", "\"1 234,50\",EUR,\"1 234,50\",\"\u{2212}1 234,50\"", 123_450),
        ("3849.00", "3849.00,JPY,3849.00,-3849.00", 3849),
    ])
    func decimalMarkIsSettledByTheFile(name: String, cells: String, minorUnits: Int64) throws {
        let text = "Date,Description,Category,Cost,Currency,Ana,Bob\n\n2026-07-14,A,General,\(cells)\n"
        let plan = try SplitwiseImporter.plan(for: text)
        #expect(plan.problems.isEmpty)
        #expect(plan.expenses.map(\.amount.minorUnits) == [minorUnits])
    }

    @Test func rowAgainstTheMarkOfTheFileIsAProblem() throws {
        let text = """
            Date,Description,Category,Cost,Currency,Ana,Bob
            \(Self.row)
            2026-07-15,A,General,"7,20",EUR,3.60,-3.60
            """
        let plan = try SplitwiseImporter.plan(for: text)
        #expect(plan.problems.map(\.line) == [3])
    }

    @Test func quotedLineBreaksKeepLineNumbersRight() throws {
        let text = #"""
            Date,Description,Category,Cost,Currency,Ana,Bob
            2026-07-15,"Bread,
            ""butter""",General,7.20,EUR,3.60,-3.60
            2026-07-15,A,General,x,EUR,3.60,-3.60
            """#
        let plan = try SplitwiseImporter.plan(for: text)
        #expect(plan.expenses.map(\.title) == ["Bread,\n\"butter\""])
        #expect(plan.problems.map(\.line) == [4])
    }

    @Test(arguments: ["", "\n\n", "hello", "a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n", "what,amount,date,payer,owers,x\n"])
    func otherFilesAreRefused(text: String) {
        #expect(throws: SplitwiseFileError.noHeader) { try SplitwiseImporter.plan(for: text) }
    }

    @Test func personWithoutNameIsRefused() {
        let text = "Date,Description,Category,Cost,Currency,Ana,\n"
        #expect(throws: SplitwiseFileError.unnamedPerson(line: 1, column: 7)) { try SplitwiseImporter.plan(for: text) }
    }

    /// Every cell of a file that is looked up may hold combining marks.
    @Test func textsOfAFileAreLookedUpInProportion() throws {
        let growth = try ProcessorTime.growth(from: 3_000, to: 24_000) { count in
            let text = HostileText.marks("n", count)
            #expect(throws: SplitwiseFileError.longName(line: 1, column: 6, limit: 1000)) {
                try SplitwiseImporter.plan(for: "Date,Description,Category,Cost,Currency,\(text),\(text)\n")
            }
            #expect(throws: SplitwiseFileError.noHeader) {
                try SplitwiseImporter.plan(for: "\(text),\(text),\(text),\(text),\(text),Ana,Bob\n")
            }
            let row = "2026-01-01,\(text),\(text),10.00,EUR,5.00,-5.00\n"
            let total = "2026-01-02,\(text), , ,EUR,5.00,-5.00\n"
            let plan = try SplitwiseImporter.plan(
                for: "Date,Description,Category,Cost,Currency,Ana,Bob\n" + row + row.replacing("EUR", with: text)
                    + total + total)
            #expect(plan.expenses.count == 1)
        }
        #expect(growth < 24)
    }

    @Test func twoColumnsMayBeOnePerson() throws {
        let text =
            "Date,Description,Category,Cost,Currency,Ana,Bob,Bobby\n\n2026-07-14,A,General,30.00,EUR,20,-10,-10\n"
        let people = try Samples.people(2)
        let imported = try #require(try SplitwiseImporter.plan(for: text).expenses.first)
        let expense = try imported.expense(id: Samples.expense(1), people: [people[0], people[1], people[1]])
        #expect(expense.effects == [people[0]: 2000, people[1]: -2000])
    }

    @Test func everyImportedRowHasItsEffectsToTheCent() throws {
        var random = SplitMix64(state: 6)
        let people = try Samples.people(4)
        for round in 0..<500 {
            var effects = (0..<3).map { _ in Int64.random(in: -5000...5000, using: &random) }
            effects.append(-effects.reduce(0, +))
            let cost = effects.filter { $0 > 0 }.reduce(0, +) + .random(in: 0...3000, using: &random)
            let cells = ([cost] + effects).map { Self.decimal($0) }
            let text = """
                Date,Description,Category,Cost,Currency,A,B,C,D
                2026-07-14,T,General,\(cells[0]),EUR,\(cells[1...].joined(separator: ","))
                """
            let imported = try #require(try SplitwiseImporter.plan(for: text).expenses.first)
            let expense = try imported.expense(id: Samples.expense(round), people: people)
            for (person, effect) in zip(people, effects) { #expect(expense.effects[person, default: 0] == effect) }
        }
    }

    private static func decimal(_ minorUnits: Int64) -> String {
        let digits = String(minorUnits.magnitude)
        let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return (minorUnits < 0 ? "-" : "") + padded.dropLast(2) + "." + padded.suffix(2)
    }
}
