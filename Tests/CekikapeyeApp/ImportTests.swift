import CekikapeyeApp
import CekikapeyeRules
import RoostModel
import Testing

struct ImportTests {
    private static let file = """
        Date,Description,Category,Cost,Currency,ana,Dora

        2026-07-01,Pizza,Dining out,20.00,EUR,10.00,-10.00
        2026-07-02,Taxi,Taxi,9.00,EUR,-4.50,4.50
        2026-07-03,Dora paid Ana,Payment,5.50,EUR,-5.50,5.50

        2026-07-04,Total balance, , ,EUR,0.00,0.00
        """

    private func run(_ sample: TemporaryBook, _ text: String = file, skipsBadRows: Bool = false) throws -> ImportPreview
    {
        let preview = try sample.book.planImport(Array(text.utf8), skipsBadRows: skipsBadRows)
        try sample.book.carryOut(preview, named: "file.csv")
        return preview
    }

    @Test func peopleAreFoundByNameOrMade() throws {
        let sample = try TemporaryBook()
        let preview = try run(sample)
        #expect(preview.mappings.map(\.state) == [.present, .new])
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "Bob", "Chloé", "Dora"])
        #expect(preview.newCount == 3)
    }

    @Test func balancesEqualTheFile() throws {
        let sample = try TemporaryBook()
        let preview = try run(sample)
        #expect(preview.proofs.map(\.holds) == [true])
        #expect(try sample.balances() == ["Ana": 0, "Bob": 0, "Chloé": 0, "Dora": 0])
    }

    @Test func planningChangesNothing() throws {
        let sample = try TemporaryBook()
        _ = try sample.book.planImport(Array(Self.file.utf8), skipsBadRows: false)
        #expect(try sample.book.contents().spendings.isEmpty)
    }

    @Test func secondImportChangesNothing() throws {
        let sample = try TemporaryBook()
        _ = try run(sample)
        let again = try run(sample)
        #expect(again.changesNothing && again.alreadyThere == 3)
        #expect(try sample.book.undo() == "import file.csv")
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "Bob", "Chloé"])
    }

    @Test func oneUndoTakesAllBackAndAnotherImportBringsItAgain() throws {
        let sample = try TemporaryBook()
        _ = try run(sample)
        _ = try sample.book.undo()
        #expect(try sample.book.contents().spendings.isEmpty)
        let again = try run(sample)
        #expect(again.broughtBack == 3)
        #expect(again.mappings.map(\.state) == [.present, .deleted])
        #expect(try sample.book.contents().spendings.count == 3)
    }

    @Test func twoDevicesMakeTheSameRecords() throws {
        let (one, two) = (try TemporaryBook(), try TemporaryBook())
        _ = try run(one)
        _ = try run(two)
        #expect(try one.book.contents().spendings.map(\.id) == two.book.contents().spendings.map(\.id))
        #expect(try one.book.contents().members == two.book.contents().members)
    }

    @Test func editedSpendingsStayEditedOnAnotherImport() throws {
        let sample = try TemporaryBook()
        _ = try run(sample)
        let id = try #require(try sample.book.contents().spendings.first).id
        var request = EditRequest()
        request.title = "Pizza Roma"
        _ = try sample.book.edit(id.description, request)
        #expect(try run(sample).changesNothing)
        #expect(try sample.book.contents().spendings.first?.title == "Pizza Roma")
    }

    @Test func badRowsAreNamedAndNothingIsImported() throws {
        let sample = try TemporaryBook()
        let bad = Self.file.replacing("20.00,EUR,10.00,-10.00", with: "20.00,EUR,10.00,-9.00")
        let error = #expect(throws: BookError.self) { try run(sample, bad) }
        guard case .rows(let problems) = error else { return #expect(Bool(false), "expected the rows at fault") }
        #expect(problems.first?.line == 3)
        #expect(try sample.book.contents().spendings.isEmpty)
    }

    @Test func badRowsAreLeftOutWhenAskedFor() throws {
        let sample = try TemporaryBook()
        let bad = Self.file.replacing("20.00,EUR,10.00,-10.00", with: "20.00,EUR,10.00,-9.00")
        #expect(try run(sample, bad, skipsBadRows: true).newCount == 2)
        #expect(try sample.balances() == ["Ana": -1000, "Bob": 0, "Chloé": 0, "Dora": 1000])
    }

    @Test(arguments: [("Ana", "ana"), ("Zoé", "Zoe")]) func columnsOfAlikeNamesAreTwoPeople(one: String, other: String)
        throws
    {
        let sample = try TemporaryBook(["Ana", "Zoé"])
        let file =
            "Date,Description,Category,Cost,Currency,\(one),\(other)\n\n2026-07-01,Pizza,,20.00,EUR,10.00,-10.00\n"
        for _ in 1...2 {
            let preview = try run(sample, file)
            #expect(Set(preview.mappings.map(\.id)).count == 2)
            #expect(preview.proofs.map(\.holds) == [true])
        }
        #expect(try sample.balances()[one] == 1000)
        #expect(try sample.balances()[other] == -1000)
    }

    @Test func aCorrectedTitleInALaterFileIsNotImportedTwice() throws {
        let sample = try TemporaryBook()
        _ = try run(sample)
        let corrected = Self.file.replacing("Pizza", with: "Pizza Roma")
        let error = #expect(throws: BookError.self) { try run(sample, corrected) }
        guard case .balancesDiffer("EUR", let differences) = error else { return #expect(error == nil) }
        #expect(differences.map(\.kind) == [.notInFile])
        #expect(differences.map(\.title) == ["Pizza"])
        _ = try sample.book.deleteSpending(try #require(differences.first).id.description)
        #expect(try run(sample, corrected).proofs.map(\.holds) == [true])
    }

    @Test func theProofFailsForWhatIsEditedOrHiddenHere() throws {
        let sample = try TemporaryBook()
        _ = try run(sample)
        let id = try #require(try sample.book.contents().spendings.first { $0.title == "Pizza" }).id
        var request = EditRequest()
        request.amount = "30"
        _ = try sample.book.edit(id.description, request)
        let preview = try run(sample)
        #expect(preview.changesNothing)
        #expect(preview.proofs.map(\.holds) == [false])
        #expect(preview.differences.map(\.kind) == [.edited])
        _ = try sample.book.undo()
        _ = try sample.book.deletePerson("Ana")
        #expect(
            try sample.book.planImport(Array(Self.file.utf8), skipsBadRows: false).differences.contains {
                $0.kind == .hidden
            })
    }

    @Test func aRowThatWasDeletedHereComesBackWithTheNextImport() throws {
        let sample = try TemporaryBook()
        _ = try run(sample)
        let id = try #require(try sample.book.contents().spendings.first).id
        _ = try sample.book.deleteSpending(id.description)
        let preview = try run(sample)
        #expect(preview.broughtBack == 1)
        #expect(preview.proofs.map(\.holds) == [true])
    }

    @Test func theProofTellsOfSkippedRows() throws {
        let sample = try TemporaryBook()
        let bad = Self.file.replacing("20.00,EUR,10.00,-10.00", with: "20.00,EUR,10.00,-9.00")
        let proof = try #require(try run(sample, bad, skipsBadRows: true).proofs.first)
        #expect(!proof.holds)
        #expect(proof.rowsHold)
    }

    @Test(arguments: ["\r", "\r\n"]) func lineEndsOfOtherSystemsAreRead(end: String) throws {
        let sample = try TemporaryBook()
        #expect(try run(sample, Self.file.replacing("\n", with: end)).newCount == 3)
    }

    @Test func semicolonsWithDecimalCommasAreRead() throws {
        let sample = try TemporaryBook()
        let file = Self.file.replacing(",", with: ";").replacing(".", with: ",")
        #expect(try run(sample, file).proofs.map(\.holds) == [true])
        #expect(try sample.book.contents().spendings.map(\.minorUnits) == [2000, 900, 550])
    }

    @Test func anExportOfSpliitIsNamed() throws {
        let sample = try TemporaryBook()
        let file =
            "\u{FEFF}\"Date\",\"Description\",\"Category\",\"Currency\",\"Cost\",\"Is Reimbursement\",\"Split mode\",\"Ana\",\"Bob\"\n\"2026-07-01\",\"Gas\",\"Gas\",\"EUR\",\"67.50\",\"No\",\"Evenly\",45,-22.5\n"
        #expect(throws: BookError.file(.ofSpliit(line: 1))) { try run(sample, file) }
    }

    @Test func otherFilesAreRefused() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.file(.noHeader)) { try run(sample, "hello") }
    }
}
