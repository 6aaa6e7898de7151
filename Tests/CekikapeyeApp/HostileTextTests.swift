import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import TestSupport
import Testing

/// Another device may write texts made of combining marks. Comparing and hashing by Unicode's canonical equivalence takes 64 times as long
/// for eight times the marks.
@Suite(.timeLimit(.minutes(5))) struct HostileTextTests {
    @Test(arguments: ["content", "currency", "kind", "category", "note", "source", "key", "mode", "person"])
    func aSpendingIsReadInProportion(_ place: String) throws {
        // A key is written three times into one record, which has at most 256 KiB.
        let count = place == "key" ? 5_000 : 10_000
        let small = try book(place, count)
        let large = try book(place, 8 * count)
        let growth = try ProcessorTime.growth(from: 0, to: 1) { try read($0 == 0 ? small : large) }
        #expect(growth < 24, "\(place): \(growth)")
    }

    private func book(_ place: String, _ count: Int) throws -> TemporaryBook {
        let sample = try TemporaryBook()
        let split = try sample.add("30").expense.split.json
        let person = try sample.book.contents().member(named: "Ana").id
        try sample.book.replica.write("another program") {
            for letter in ["a", "b", "e", "o"] {
                let text = HostileText.marks(letter, count)
                var values: [String: Value] = [
                    "content": .string("x"), "amount": .integer(500), "currency": .string("EUR"),
                    "exponent": .integer(2),
                    "date": .string("2026-07-14"), "kind": .string("expense"), "split": .string(split),
                    "person": .data(person.bytes),
                ]
                switch place {
                case "key": values["split"] = .string(split.dropLast() + ",\"\(text)\":\"\(text)\",\"\(text)b\":1}")
                case "mode": values["split"] = .string(#"{"rule":1,"mode":"\#(text)","payers":{},"shares":{}}"#)
                case "person":
                    values["split"] = .string(#"{"rule":1,"mode":"even","payers":{},"shares":{"\#(text)":1}}"#)
                default: values[place] = .string(text)
                }
                try $0.put("Spending", id: RecordID(derivedFrom: ["hostile", letter]), values)
            }
        }
        return sample
    }

    @Test func peopleAreReadInProportion() throws {
        func book(_ count: Int) throws -> TemporaryBook {
            let sample = try TemporaryBook()
            try sample.book.replica.write("another program") {
                for letter in ["a", "A", "b", "e", "o"] {
                    let id = RecordID(derivedFrom: ["hostile", letter])
                    try $0.put("Person", id: id, ["name": .string(HostileText.marks(letter, count))])
                }
            }
            return sample
        }
        let small = try book(10_000)
        let large = try book(80_000)
        let growth = try ProcessorTime.growth(from: 0, to: 1) {
            let sample = $0 == 0 ? small : large
            try read(sample)
            try sample.add("10")
        }
        #expect(growth < 24, "\(growth)")
    }

    /// Reads everything that is shown of a group.
    private func read(_ sample: TemporaryBook) throws {
        let contents = try sample.book.contents()
        for spending in contents.spendings {
            _ = spending.amount
            let fault = spending.faultText(contents.roster) ?? ""
            #expect(fault.utf8.count < 20_000)
        }
        _ = contents.roster.namesakes
        let sheet = try BalanceSheet(contents)
        #expect(sheet.pages.allSatisfy { $0.isZeroSum })
        _ = try sample.book.proposals(contents)
        for grouping in SpendingQuery.Grouping.allCases {
            var query = SpendingQuery()
            query.grouping = grouping
            _ = try sample.book.list(query)
            query.search = "é"
            _ = try sample.book.list(query)
            query.person = "Ana"
            _ = try sample.book.list(query)
        }
        _ = try sample.book.log(limit: 100)
        _ = try sample.book.beaten(last: 100)
        _ = try sample.book.deletedRecords()
        #expect(throws: BookError.self) { try contents.spending(identifiedBy: "fffffffff") }
    }
}
