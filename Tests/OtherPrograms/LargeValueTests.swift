import TestProcesses
import Testing

/// Values that are too large for a record.
@Suite struct LargeValueTests {
    struct Large: Case {
        let name: String
        let sql: String
    }

    private static let digits = "hex(randomblob(140000))"

    static let all = [
        Large(name: "an insert", sql: "insert into spending(content) values (\(digits))"),
        Large(
            name: "an insert in the middle of a transaction",
            sql: "insert into spending(content, note) values ('large', \(digits))"),
        Large(name: "an edit", sql: "update spending set note = \(digits) where id = \(key(5))"),
        Large(name: "bytes", sql: "insert into spending(content, picture) values ('large', zeroblob(300000))"),
        Large(name: "JSON", sql: "insert into spending(content, info) values ('large', json_quote(\(digits)))"),
        Large(
            name: "two values that are too large together",
            sql: "insert into spending(content, note) values (hex(randomblob(70000)), hex(randomblob(70000)))"),
        Large(name: "an edit of a new record", sql: "update spending set note = \(digits) where content = 'small 30'"),
    ]

    private static func others(_ range: ClosedRange<Int>) -> String {
        "insert into spending(content) select 'small ' || value from generate_series(\(range.lowerBound), \(range.upperBound));"
    }

    @Test(arguments: all) func aValueThatIsTooLargeConcernsItsOwnRecordAlone(_ large: Large) throws {
        try fact("aValueThatIsTooLargeConcernsItsOwnRecordAlone", large.name) {
            let devices = try TwoDevices()
            try devices.first.write(Self.others(1...30))
            try devices.first.write(
                "begin; \(Self.others(31...60)) \(large.sql); insert into tag(word) values ('fun'); commit;")
            try devices.first.write("delete from spending where id = \(key(8))")
            try devices.expectAgreement()
            let small = large.name == "an edit of a new record" ? "and content <> 'small 30'" : ""
            try devices.expectBoth(
                "select count(*) from spending where content like 'small %' \(small)", [small.isEmpty ? "60" : "59"])
            try devices.expectBoth("select count(*) from spending where id = \(key(8))", ["0"])
            try devices.expectBoth("select word from tag", ["fun"])
            try devices.expectBoth("select content from spending where id = \(key(5))", ["dinner"])
            #expect(try devices.first.status("refused") == 1)
        }
    }

    /// A delete does not depend on the edit before it.
    @Test func aDeleteAfterAnEditThatIsTooLargeIsSent() throws {
        let devices = try TwoDevices()
        // The delete is sent together with other changes, with a stamp in their order.
        try devices.first.write(
            """
            begin; update spending set note = \(Self.digits) where id = \(key(5)); delete from spending where id = \(key(5));
            insert into spending(content) values ('later'); insert into tag(word) values ('later'); commit
            """)
        try devices.expectAgreement()
        try devices.expectBoth("select count(*) from spending where id = \(key(5))", ["0"])
        #expect(try devices.first.status("refused") == 1)
        try devices.second.check("undelete", "Spending", String(key(5).dropFirst(2).dropLast()))
        try devices.expectAgreement()
        try devices.expectBoth("select content from spending where id = \(key(5))", ["dinner"])
    }
}
