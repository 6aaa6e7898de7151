import Foundation
import RoostModel
import TestProcesses
import TestSupport
import Testing

/// `Docs/values.md` on the command line: `roost update` accepts valid values, and `roost fetch --json` and SQL return them.
@Suite final class ValueCommandTests {
    private let folder: URL
    private let path: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-values-\(UUID().uuidString)")
        path = folder.appending(path: "samples.roost").path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let schema = folder.appending(path: "schema.json")
        try Data(ValueCase.schema.utf8).write(to: schema)
        try Programs.check("roost", "init", path, "--schema", schema.path)
        #expect(try Programs.sql(path, "insert into sample default values").status == 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func update(_ item: ValueCase) throws -> Programs.Output? {
        try item.typed.map {
            try Programs.run("roost", ["update", path, "Sample", "--all", "--set", "\(item.column)=\($0)", "--json"])
        }
    }

    private func updated(_ item: ValueCase) throws -> Int? {
        let output = try update(item)
        let line = try #require(output?.lines.first, "\(String(describing: output))")
        return try JSONParser.parse(line)["updated"]?.integerValue.map(Int.init)
    }

    /// Returns the value as `roost fetch` prints it.
    private func fetched(_ item: ValueCase) throws -> JSONValue? {
        let output = try Programs.run("roost", ["fetch", path, "Sample", "--properties", item.column, "--json"])
        #expect(output.status == 0 && output.error.isEmpty, "\(output)")
        return try output.lines.first.flatMap { try JSONParser.parse($0, depthMax: 70)[item.column] }
    }

    @Test(arguments: ValueCase.all.filter { $0.typed != nil })
    func updateTakesWhatIsValid(_ item: ValueCase) throws {
        let output = try #require(try update(item))
        #expect((output.status == 0) == item.isValid, "\(output)")
        let condition = item.isValid ? "\(item.column) is \(item.sql)" : "\(item.column) is null"
        #expect(try Programs.sql(path, "select \(condition) from sample").lines == ["1"])
        guard item.isValid else { return }
        #expect(try updated(item) == 0)
        let json = try #require(try fetched(item))
        // A column stores 0.0 in place of -0.0.
        let expected = item.value == .double(-0.0) ? .double(0) : item.value
        guard item.kind != .json else { return }
        #expect(try AttributeJSON.value(json, kind: item.kind) == expected, "\(json)")
    }

    /// A value that only looks equal is an edit, and an equal value is none. A column does not store the sign of zero.
    @Test(arguments: ValueCase.pairs)
    func whatLooksAlikeIsAnEdit(_ one: ValueCase, _ other: ValueCase) throws {
        #expect(try updated(one) == 1)
        #expect(try updated(one) == 0)
        #expect(try updated(other) == (one.kind == .double ? 0 : 1))
        #expect(try updated(other) == 0)
        #expect(try Programs.sql(path, "select \(other.column) is \(other.sql) from sample").lines == ["1"])
    }

    @Test func updateRefusesWhatIsNoNumber() throws {
        for text in ["nan", "NaN", "-nan", "Infinity"] {
            let output = try Programs.run(
                "roost", ["update", path, "Sample", "--all", "--set", "maybe_real=\(text)"])
            #expect(output.status == 65 && output.error.contains("maybe_real"), "\(output)")
        }
        #expect(try Programs.sql(path, "select maybe_real is null from sample").lines == ["1"])
    }
}
