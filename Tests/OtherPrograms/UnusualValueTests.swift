import TestProcesses
import Testing

/// Values that SQL can write and another layer may refuse.
@Suite struct UnusualValueTests {
    struct Value: Case {
        let name: String
        let set: String
        var pragma = ""
    }

    static let all = [
        Value(name: "Infinity", set: "rate = 9e999"), Value(name: "-Infinity", set: "rate = -9e999"),
        Value(name: "NaN, which is NULL", set: "rate = 9e999 - 9e999"), Value(name: "-0.0", set: "rate = -0.0"),
        Value(name: "the smallest double", set: "rate = 4.9e-324"),
        Value(name: "JSON with duplicate names", set: "info = '{\"a\": 1, \"a\": 2}'"),
        Value(name: "JSON null", set: "info = 'null'"),
        Value(name: "JSON with spaces", set: "info = ' { \"a\" : 1 } '"),
        Value(
            name: "JSON of 70 levels",
            set: "info = replace(hex(zeroblob(35)), '0', '[') || replace(hex(zeroblob(35)), '0', ']')"),
        Value(name: "JSON with a lone surrogate", set: "info = '\"\\ud800\"'"),
        Value(name: "JSON with a large number", set: "info = '1e999'"),
        Value(name: "JSON with a long integer", set: "info = '123456789012345678901234567890'"),
        Value(name: "no JSON", set: "info = '{a: 1'", pragma: "pragma ignore_check_constraints=on;"),
        Value(name: "empty JSON", set: "info = ''", pragma: "pragma ignore_check_constraints=on;"),
        Value(name: "invalid UTF-8", set: "note = cast(x'61ff62' as text)"),
        Value(name: "half a character of UTF-8", set: "note = cast(x'61c3' as text)"),
        Value(name: "a surrogate in UTF-8", set: "note = cast(x'eda080' as text)"),
        Value(name: "a NUL character", set: "note = 'a' || char(0) || 'b'"),
        Value(name: "a byte order mark", set: "note = char(65279) || 'b'"),
        Value(
            name: "an identifier of 15 bytes", set: "person = zeroblob(15)",
            pragma: "pragma ignore_check_constraints=on;"),
        Value(name: "an empty blob", set: "picture = x''"),
        Value(name: "the smallest integer", set: "amount = -9223372036854775808"),
        Value(name: "a timestamp out of range", set: "at = 9223372036854775807"),
    ]

    /// Only the server has the content that a refused edit has replaced, and all records are pulled for it.
    @Test func theReportSaysThatAnEditWasRefused() throws {
        let devices = try TwoDevices()
        try devices.first.write("update spending set info = '{oops' where id = \(key(5))")
        let report = try devices.first.check("sync").standard
        #expect(report.contains("An edit was refused. The content that it had replaced was pulled"), "\(report)")
        #expect(!report.contains("differed from the server"), "\(report)")
    }

    /// The value is a change, or is refused with a reason. The record and its companions stay usable either way.
    @Test(arguments: all) func anUnusualValueIsSynchronisedOrJournaled(_ value: Value) throws {
        try fact("anUnusualValueIsSynchronisedOrJournaled", value.name) {
            let devices = try TwoDevices()
            let output = try devices.first.sql(
                """
                \(value.pragma) begin;
                insert into spending(id, content) values (\(key(9)), 'companion');
                update spending set \(value.set) where id = \(key(5));
                commit;
                """)
            let written = try devices.visible(devices.first)
            try devices.expectAgreement()
            let kept = try devices.visible(devices.first) == written
            #expect(try kept || devices.first.status("refused") == 1 || !output.error.isEmpty)
            try devices.expectBoth("select content from spending where id = \(key(9))", ["companion"])
            // An edit of another attribute leaves the value as it is.
            let column = value.set.prefix { $0 != " " }
            let query = "select typeof(\(column)), hex(\(column)) from spending where id = \(key(5))"
            let before = try devices.first.rows(query)
            try devices.first.update("Spending", "content == \"dinner\"", "content=supper")
            try devices.expectAgreement()
            try devices.expectBoth("select content from spending where id = \(key(5))", ["supper"])
            try devices.expectBoth(query, before)
        }
    }
}
