import Foundation
import TestProcesses
import TestSupport
import Testing

/// The client of protocol.md's minimal profile, written in Python from the protocol alone, with Roost's own programs and
/// server.
@Suite(.serialized) struct MinimalClientTests {
    /// A replica that the Python client keeps.
    private struct Other {
        let file: String

        @discardableResult
        func run(_ arguments: String...) throws -> String {
            let output = try Programs.run("python3", [MinimalClientTests.script, file] + arguments)
            guard output.status == 0 else {
                throw UnexpectedEnd(program: "minimal_client.py", arguments: arguments, output: output)
            }
            return output.standard.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func add(_ name: String) throws { try run("put", "Person", "-", #"{"name": "\#(name)"}"#) }

        var shown: [String: Any] {
            get throws {
                try JSONSerialization.jsonObject(with: Data(try run("show").utf8)) as? [String: Any] ?? [:]
            }
        }

        func names(_ attribute: String = "name") throws -> [String] {
            let records = try shown["records"] as? [String: [String: Any]] ?? [:]
            return records.values.compactMap { $0[attribute] as? String }.sorted()
        }

        var journal: Int { get throws { (try shown["journal"] as? [Any])?.count ?? -1 } }
        var waiting: Int { get throws { try shown["waiting"] as? Int ?? -1 } }
    }

    private static let script = Programs.repository.appending(path: "Examples/protocol/minimal_client.py").path

    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    private func join(_ stage: Stage, _ replica: String, as name: String = "other.json") throws -> Other {
        let other = Other(file: stage.path(name))
        let link = try Programs.check("roost", "invite", replica, "--role", "editor").lines.first ?? ""
        try other.run("join", link, name)
        return other
    }

    private func sync(_ replica: String, _ others: Other..., rounds: Int = 2) throws {
        for _ in 0..<rounds {
            for other in others { try other.run("sync") }
            try Programs.check("roost", "sync", replica)
        }
        for other in others { try other.run("sync") }
    }

    /// §11: the visible content is as specified, in every order of arrival.
    @Test func everyVectorShowsWhatItMust() throws {
        let folder = Programs.repository.appending(path: "Tests/Vectors/vectors.json")
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: folder)) as? [String: Any]
        var lines: [String] = []
        var expected: [NSDictionary] = []
        for vector in file?["vectors"] as? [[String: Any]] ?? [] {
            for changes in permutations(vector["changes"] as? [Any] ?? []) {
                let line = try JSONSerialization.data(withJSONObject: ["changes": changes])
                lines.append(String(decoding: line, as: UTF8.self))
                expected.append(vector["visible"] as? NSDictionary ?? [:])
            }
        }
        let output = try Programs.run("python3", [Self.script, "replay"], input: lines.joined(separator: "\n"))
        let shown = try output.lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary ?? [:]
        }
        #expect(lines.count > 1000)
        #expect(shown == expected, "\(output.error)")
    }

    @Test func editsDeletesAndConflictsMeet() throws {
        let stage = try Stage()
        let ana = try stage.makeScope()
        let other = try join(stage, ana)
        let chloe = try other.run("put", "Person", "-", #"{"name": "Chloé"}"#)
        try other.run("put", "Spending", "-", #"{"content": "Taxi", "amount": 1250, "person": "\#(chloe)"}"#)
        try sync(ana, other)
        #expect(try names(ana) == ["Chloé"])
        #expect(try Programs.sql(ana, "select amount from spending where person is not null").lines == ["1250"])
        try Programs.sql(ana, "update person set name = 'Ana'; insert into person(name) values ('Bob')")
        try Programs.check("roost", "sync", ana)
        try other.run("put", "Person", chloe, #"{"name": "later"}"#)
        try sync(ana, other)
        #expect(try names(ana) == ["Bob", "later"])
        #expect(try other.names() == ["Bob", "later"])
        try other.run("delete", "Person", chloe)
        try sync(ana, other)
        #expect(try Programs.sql(ana, "select count(*) from spending").lines == ["0"])
        #expect(try other.names("content") == [])
        try other.run("undelete", "Person", chloe)
        try sync(ana, other)
        #expect(try Programs.sql(ana, "select content from spending").lines == ["Taxi"])
        try Programs.sql(ana, "update spending set guarantor = (select id from person where name = 'Bob')")
        try sync(ana, other)
        let bob = try Programs.sql(ana, "select lower(hex(id)) from person where name = 'Bob'").lines[0]
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(Array(bob)[range])
        }
        #expect(throws: UnexpectedEnd.self) { try other.run("delete", "Person", parts.joined(separator: "-")) }
        #expect(try other.journal == 0)
    }

    /// The client's clock is an hour ahead. The server refuses its stamps, and the client stamps again by the server's clock.
    @Test func clockThatIsAheadIsPutRight() throws {
        let stage = try Stage()
        let ana = try stage.makeScope()
        let other = try join(stage, ana)
        let text = try String(contentsOfFile: other.file, encoding: .utf8)
        try text.replacing(#""offset": 0"#, with: #""offset": 3600000"#)
            .write(toFile: other.file, atomically: true, encoding: .utf8)
        try other.add("first")
        let record = try other.run("put", "Person", "-", #"{"name": "second"}"#)
        try other.run("put", "Person", record, #"{"name": "second, edited"}"#)
        try sync(ana, other)
        #expect(try names(ana) == ["first", "second, edited"])
        #expect(try other.waiting == 0)
        #expect(try other.journal == 0)
    }

    /// Two files have one identity. Each file detects that by its push, is renewed, and gets the other's writes.
    @Test func copyOfItsFileIsAReplicaOfItsOwn() throws {
        let stage = try Stage()
        let ana = try stage.makeScope()
        let other = try join(stage, ana)
        try other.add("before")
        try sync(ana, other)
        let copy = Other(file: stage.path("copy.json"))
        try FileManager.default.copyItem(atPath: other.file, toPath: copy.file)
        try other.add("original")
        try copy.add("copy")
        try sync(ana, other, copy)
        for found in [try other.names(), try copy.names(), try names(ana)] {
            #expect(found == ["before", "copy", "original"])
        }
    }

    /// Unsent changes, and a sealed push that never arrived, are sent under the new names.
    @Test func renamedPropertiesAreFollowed() throws {
        let stage = try Stage()
        let ana = try stage.makeScope()
        let other = try join(stage, ana)
        try other.add("before")
        try sync(ana, other)
        try other.add("sealed")
        stage.server?.kill()
        #expect(throws: UnexpectedEnd.self) { try other.run("sync") }
        try stage.startServer()
        let later = Stage.schema.replacing(#""version": 1"#, with: #""version": 2"#)
            .replacing(#""name": "name""#, with: #""name": "label""#).replacing(#""Person""#, with: #""Human""#)
        try later.write(toFile: stage.path("later.json"), atomically: true, encoding: .utf8)
        try Programs.check("roost", "migrate", ana, stage.path("later.json"))
        try Programs.check("roost", "schema", "publish", ana, stage.path("later.json"))
        try other.add("waits")
        try sync(ana, other)
        #expect(try Programs.sql(ana, "select label from human order by label").lines == ["before", "sealed", "waits"])
        #expect(try other.names("label") == ["before", "sealed", "waits"])
        #expect(try other.journal == 0)
    }

    /// The client sends its checkpoint, so that the restored server accepts again what Roost's replicas have.
    @Test func restoredServerIsFollowedAndNothingIsLost() throws {
        let stage = try Stage()
        let ana = try stage.makeScope()
        let other = try join(stage, ana)
        try other.add("early")
        try sync(ana, other)
        stage.server?.kill()
        try FileManager.default.copyItem(atPath: stage.path("server"), toPath: stage.path("backup"))
        try stage.startServer()
        try other.add("late")
        try sync(ana, other)
        try other.add("waits")
        stage.server?.kill()
        try FileManager.default.removeItem(atPath: stage.path("server"))
        try FileManager.default.moveItem(atPath: stage.path("backup"), toPath: stage.path("server"))
        try stage.startServer()
        try sync(ana, other, rounds: 3)
        #expect(try names(ana) == ["early", "late", "waits"])
        #expect(try other.names() == ["early", "late", "waits"])
        #expect(try other.journal == 1, "what the server lost is written down")
    }
}
