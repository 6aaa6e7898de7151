import Foundation
import TestProcesses
import Testing

/// Puts by a client other than Roost, some of which a row cannot represent exactly.
@Suite struct PreservedPutTests {
    struct Preserved: Case {
        let name: String
        /// A field of the record, in the notation of client.py.
        let field: String
        /// Bytes of the put that stay until that attribute is edited.
        let bytes: String
        /// Whether the record is shown.
        var isShown = true
    }

    static let all = [
        Preserved(name: "-0.0", field: "4=real:0000000000000080", bytes: "0804210000000000000080"),
        Preserved(name: "NaN", field: "4=real:000000000000f87f", bytes: "080421000000000000f87f"),
        Preserved(name: "NaN with a payload", field: "4=real:010203000000f8ff", bytes: "080421010203000000f8ff"),
        Preserved(name: "an unknown attribute", field: "40=text:6c61746572", bytes: "082812056c61746572"),
        Preserved(name: "an unknown attribute without a value", field: "41=text:", bytes: "08291200"),
        Preserved(name: "an unknown form of a value", field: "42=unknown:6c61746572", bytes: "082a4a056c61746572"),
        Preserved(
            name: "an unknown reference", field: "40>\(String(repeating: "ab", count: 16))", bytes: "08281210abab"),
        Preserved(name: "text with invalid UTF-8", field: "3=text:61ff62", bytes: "0803120361ff62"),
        Preserved(name: "half a character", field: "3=text:61c3", bytes: "0803120261c3"),
        Preserved(name: "text in NFD", field: "3=text:6365cc81", bytes: "080312046365cc81"),
        Preserved(
            name: "JSON with duplicate names", field: "5=text:7b2261223a312c2261223a327d",
            bytes: "7b2261223a312c2261223a327d"),
        Preserved(name: "JSON null", field: "5=text:6e756c6c", bytes: "6e756c6c"),
        Preserved(name: "Infinity", field: "4=real:000000000000f07f", bytes: "000000000000f07f"),
        Preserved(name: "no JSON", field: "5=text:7b", bytes: "0805 12017b".replacing(" ", with: ""), isShown: false),
        Preserved(name: "a text where a number belongs", field: "2=text:78", bytes: "0802120178", isShown: false),
    ]

    private static let record = "00000000000000000000000000000009"

    private func devices(with preserved: Preserved) throws -> TwoDevices {
        let devices = try TwoDevices()
        let link = try devices.first.check("invite").lines.first ?? ""
        try client(devices, "join", link)
        let amount = preserved.field.hasPrefix("2=") ? [] : ["2=integer:0a"]
        let fields = (amount + ["1=text:6c75786f", preserved.field]).sorted { Self.order($0) < Self.order($1) }
        try client(devices, ["push", devices.stage.path("client.json"), "2", Self.record] + fields)
        return devices
    }

    private static func order(_ field: String) -> Int { Int(field.prefix { $0.isNumber }) ?? 0 }

    private func client(_ devices: TwoDevices, _ command: String, _ link: String) throws {
        try client(devices, [command, link, devices.stage.path("client.json")])
    }

    @discardableResult
    private func client(_ devices: TwoDevices, _ arguments: [String]) throws -> Programs.Output {
        let script = Programs.repository.appending(path: "Tests/OtherPrograms/client.py").path
        let output = try Programs.run(Python.interpreter, [script] + arguments)
        guard output.status == 0 else {
            throw UnexpectedEnd(program: "client.py", arguments: arguments, output: output)
        }
        return output
    }

    private func put(_ devices: TwoDevices) throws -> String {
        try client(devices, ["show", devices.stage.path("client.json"), "2", Self.record]).standard
    }

    @Test(arguments: all) func bothDevicesShowTheRecordAlike(_ preserved: Preserved) throws {
        try fact("bothDevicesShowTheRecordAlike", preserved.name) {
            let devices = try devices(with: preserved)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select count(*) from spending where content = 'luxo'", [preserved.isShown ? "1" : "0"])
            try devices.first.resynchroniseFully()
            try devices.expectAgreement()
            #expect(try put(devices).contains(preserved.bytes))
        }
    }

    @Test(arguments: all.filter(\.isShown)) func anEditByRoostKeepsTheBytes(_ preserved: Preserved) throws {
        try fact("anEditByRoostKeepsTheBytes", preserved.name) {
            let devices = try devices(with: preserved)
            try devices.synchronise()
            try devices.first.update("Spending", "content == \"luxo\"", "amount=55")
            try devices.expectAgreement()
            try devices.expectBoth("select amount from spending where content = 'luxo'", ["55"])
            #expect(try put(devices).contains(preserved.bytes))
        }
    }

    /// A delete and its undelete move the record through the hidden tables.
    @Test(arguments: all.filter(\.isShown)) func anUndeleteAndAnEditBySQLKeepTheBytes(_ preserved: Preserved) throws {
        try fact("anUndeleteAndAnEditBySQLKeepTheBytes", preserved.name) {
            let devices = try devices(with: preserved)
            try devices.synchronise()
            try devices.first.write("delete from spending where content = 'luxo'")
            try devices.synchronise()
            try devices.second.check("undelete", "Spending", "00000000-0000-0000-0000-000000000009")
            try devices.synchronise()
            try devices.second.write("update spending set amount = 55 where content = 'luxo'")
            try devices.expectAgreement()
            try devices.expectBoth("select amount from spending where content = 'luxo'", ["55"])
            #expect(try put(devices).contains(preserved.bytes))
        }
    }
}
