import TestProcesses
import Testing

/// Texts that are equal in Unicode and differ in their bytes.
@Suite struct NormalisationTests {
    struct Form: Case {
        let name: String
        let before: String
        let after: String

        var hex: String { Self.hex(after) }

        static func hex(_ text: String) -> String {
            text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        }
    }

    static let all = [
        Form(name: "NFC over NFD", before: "cafe\u{301}", after: "caf\u{E9}"),
        Form(name: "NFD over NFC", before: "caf\u{E9}", after: "cafe\u{301}"),
        Form(name: "Hangul", before: "\u{1112}\u{1161}\u{11AB}", after: "\u{D55C}"),
        Form(name: "Angstrom", before: "\u{212B}", after: "\u{C5}"),
        Form(name: "the order of marks", before: "a\u{323}\u{307}", after: "a\u{307}\u{323}"),
    ]

    @Test(arguments: all) func anEditByRoostStoresTheBytes(_ form: Form) throws {
        try fact("anEditByRoostStoresTheBytes", form.name) {
            let devices = try TwoDevices()
            try devices.first.write("update spending set content = '\(form.before)' where id = \(key(5))")
            try devices.synchronise()
            let output = try devices.first.update("Spending", "amount == 5", "content=\(form.after)")
            #expect(output.standard.contains("1"), "\(output)")
            #expect(try devices.first.pending() == 1)
            try devices.expectAgreement()
            try devices.expectBoth("select hex(content) from spending where id = \(key(5))", [form.hex])
        }
    }

    @Test(arguments: all.prefix(2)) func anEditBySQLStoresTheBytes(_ form: Form) throws {
        try fact("anEditBySQLStoresTheBytes", form.name) {
            let devices = try TwoDevices()
            try devices.first.write(
                "update spending set content = '\(form.before)', info = '\"\(form.before)\"' where id = \(key(5))")
            try devices.synchronise()
            try devices.second.write(
                "update spending set content = '\(form.after)', info = '\"\(form.after)\"' where id = \(key(5))")
            #expect(try devices.second.pending() == 1)
            try devices.expectAgreement()
            try devices.expectBoth("select hex(content) from spending where id = \(key(5))", [form.hex])
            try devices.expectBoth(
                "select hex(json_extract(info, '$')) from spending where id = \(key(5))", [form.hex])
        }
    }

    /// The restored content is a change, although it equals in Unicode the content that it replaces.
    @Test(arguments: all.prefix(2)) func restoringABeatenFormStoresTheBytes(_ form: Form) throws {
        try fact("restoringABeatenFormStoresTheBytes", form.name) {
            let devices = try TwoDevices()
            try devices.first.write("update spending set content = '\(form.after)' where id = \(key(5))")
            try devices.first.check("status")
            try devices.second.write("update spending set content = '\(form.before)' where id = \(key(5))")
            try devices.second.check("sync")
            try devices.first.check("sync")
            try devices.first.check("restore", "1")
            try devices.expectAgreement()
            try devices.expectBoth("select hex(content) from spending where id = \(key(5))", [form.hex])
        }
    }
}
