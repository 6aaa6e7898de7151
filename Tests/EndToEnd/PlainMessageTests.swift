import Foundation
import TestProcesses
import Testing

/// Errors are reported in the words of the person who has to act on them.
@Suite(.serialized) struct PlainMessageTests {
    /// Names of other programs' errors, identifiers of records, amounts without their currency, and repeated openings.
    private static var foreign: [Regex<Substring>] {
        [
            /bind\(/, /descriptor/, /NSCocoaErrorDomain/, /NSPOSIXErrorDomain/, /Error Domain=/, /IOError/,
            /minor units/,
            /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, /Cannot [a-z ]*: Cannot/,
            /Impossible [^:]*: Impossible/,
        ]
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func run(_ program: String, _ arguments: [String], _ language: String = "en") throws -> Programs.Output {
        let environment = ["XDG_CONFIG_HOME": path("config"), "CEKIKAPEYE_GROUP": "", "LC_ALL": "\(language)_FR.UTF-8"]
        return try Programs.run(program, arguments, environment: environment, in: folder)
    }

    private func expectPlain(_ output: Programs.Output, _ arguments: [String]) {
        let text = output.standard + output.error
        for word in Self.foreign { #expect(text.firstMatch(of: word) == nil, "\(arguments): \(text)") }
    }

    @Test(arguments: ["en", "fr"]) func failuresAreInPlainWords(language: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let new = ["new", "Trip", "Ana", "Ben", "--currency", "EUR", "--file", path("trip.roost")]
        try #require(try run("cekikapeye", new).status == 0)
        try #require(try run("cekikapeye", ["add", "30", "pizza"]).status == 0)
        try Data("Date,Cost\nx,y\n".utf8).write(to: folder.appending(path: "bad.csv"))
        try Programs.sql(
            path("trip.roost"), "UPDATE spending SET split = json_set(split, '$.payers', json('{\"x\": 1}'))")
        let link = "http://127.0.0.1:9/join#roost_i_abc"
        for arguments in [
            ["join", link], ["join", link, "--file", "/nowhere/x.roost"], ["join", link, "--file", path("trip.roost")],
            ["import", folder.path], ["import", path("none.csv")], ["import", path("bad.csv")],
            ["import", "/dev/null"],
            ["list", "--group", folder.path], ["list", "--group", path("none.roost")],
            ["edit", "ffffff", "--title", "x"],
            ["delete", "ffffff"], ["undelete", "ffffff"], ["add", "30", "pizza", "--by", "Nobody"], ["add", "", ""],
            ["add", "99999999999999999999", "x"], ["settle", "--record", "7"], ["person", "rename", "Zoe", "Y"],
            ["new", "Other", "Ana", "--currency", "EUR", "--file", "/nowhere/x.roost"],
            ["share", "--server", "http://127.0.0.1:9", "--admin-token-file", folder.path],
            ["share", "--server", "gopher://x", "--admin-token-file", path("bad.csv")], ["sync"], ["invite"],
        ] {
            let output = try run("cekikapeye", arguments, language)
            #expect(output.status != 0 && !output.isSignalled, "\(arguments): \(output)")
            expectPlain(output, arguments)
        }
        for arguments in [["list"], ["balances"], ["settle"], ["log"], []] {
            expectPlain(try run("cekikapeye", arguments, language), arguments)
        }
    }

    @Test func failuresOfTheOtherProgramsAreInPlainWords() throws {
        let stage = try Stage()
        defer { try? FileManager.default.removeItem(at: folder) }
        let port = try #require(stage.address.split(separator: ":").last)
        let link = "http://127.0.0.1:9/join#roost_i_abc"
        for (program, arguments) in [
            ("roost-server", ["serve", "--data", path("a"), "--listen", "127.0.0.1:\(port)"]),
            ("roost-server", ["serve", "--data", path("a"), "--listen", "192.0.2.1:1"]),
            (
                "roost-server",
                ["serve", "--data", path("a"), "--listen", "192.0.2.1:8787", "--plain-http-behind-proxy"]
            ),
            ("roost-server", ["serve", "--data", path("a"), "--listen", "nonsense"]),
            ("roost-server", ["serve", "--data", "/dev/null/a"]),
            ("roost-server", ["backup", "--data", path("none"), "--to", path("b.sqlite")]),
            ("roost-server", ["restore", "--data", path("a"), "--from", folder.path]),
            ("roost", ["join", link, path("x.roost")]), ("roost", ["join", link, "/nowhere/x.roost"]),
            ("roost", ["init", path("x.roost"), "--schema", folder.path]),
            ("roost", ["init", "/nowhere/x.roost", "--schema", stage.path("none.json")]),
            ("roost", ["status", folder.path]), ("roostd", [folder.path]),
        ] {
            let output = try run("timeout", ["60", Programs.url(program).path] + arguments)
            #expect(output.status != 0 && output.status != 124 && !output.isSignalled, "\(arguments): \(output)")
            expectPlain(output, arguments)
        }
    }

    /// The lines of the guide ask nothing, whether they are pasted into a terminal or run where no user can answer.
    @Test func linesOfTheGuideRunWithoutAnybodyToAsk() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let guide = try String(contentsOf: Programs.repository.appending(path: "README.md"), encoding: .utf8)
        let lines = guide.split(separator: "\n").filter { $0.hasPrefix("cekikapeye") }
        #expect(lines.count >= 3)
        let programs = Programs.url("cekikapeye").deletingLastPathComponent().path
        for line in lines {
            let output = try run("timeout", ["60", "bash", "-c", "exec <&-; PATH='\(programs)':$PATH; \(line)"])
            #expect(output.status == 0, "\(line): \(output)")
        }
    }
}
