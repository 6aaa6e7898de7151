import Foundation
import TestProcesses
import Testing

/// A command that changes a group reports which one it was, and where its file is if that is in another folder. The group may
/// not be the intended one.
@Suite(.serialized) final class GroupNameTests {
    private let stage: Stage
    private let folder: URL
    private var seen: Set<String> = ["new", "join"]

    private static let export = """
        Date,Description,Category,Cost,Currency,Ana,Ben
        2026-07-01,Courses,Groceries,40.00,EUR,20.00,-20.00
        """

    /// The commands that do not change a group.
    private static let reading: Set = [
        "overview", "list", "balances", "export", "log", "status", "person list", "help",
    ]

    init() throws {
        stage = try Stage()
        folder = stage.folder.appending(path: "elsewhere")
        for name in ["elsewhere", "home"] {
            try FileManager.default.createDirectory(
                at: stage.folder.appending(path: name), withIntermediateDirectories: true)
        }
    }

    private var group: String { stage.path("home/corse.roost") }

    private func run(_ arguments: [String]) throws -> Programs.Output {
        try Programs.run(
            "cekikapeye", arguments,
            environment: ["XDG_CONFIG_HOME": stage.path("config"), "CEKIKAPEYE_GROUP": "", "LC_ALL": "C.UTF-8"],
            in: folder)
    }

    /// Runs a command in a folder that is not the group's. The group is the one used last.
    private func change(_ arguments: String...) throws {
        let output = try run(arguments)
        #expect(output.status == 0, "\(arguments): \(output)")
        let line = "Group: Corse, in \(group)"
        #expect((output.standard + output.error).contains(line), "\(arguments): \(output)")
        seen.insert(arguments[0] == "person" ? "person \(arguments[1])" : arguments[0])
    }

    private func spending() throws -> String {
        try #require(
            try Programs.sql(group, "SELECT substr(lower(hex(id)), -8) FROM spending ORDER BY content LIMIT 1").lines
                .first)
    }

    @Test func everyChangeNamesItsGroup() throws {
        try Data(Self.export.utf8).write(to: folder.appending(path: "export.csv"))
        let made = try run(["new", "Corse", "Ana", "Ben", "--currency", "EUR", "--file", group])
        #expect(made.status == 0 && made.standard.contains("Corse"), "\(made)")
        try change("share", "--server", stage.address, "--admin-token-file", stage.path("server/admin-token"))
        try change("add", "30", "pizza", "--by", "Ben")
        try change("edit", try spending(), "--title", "Pizza")
        let identifier = try spending()
        try change("delete", identifier)
        try change("undelete", identifier)
        try change("undo")
        try change("redo")
        #expect(try run(["settle"]).standard.contains("Group: Corse, in \(group)"))
        try change("settle", "--record", "1")
        try change("person", "add", "Zoe")
        try change("person", "rename", "Zoe", "Zoé")
        try change("person", "deactivate", "Zoé")
        try change("person", "activate", "Zoé")
        try change("person", "delete", "Zoé", "--yes")
        try change("undelete", "Zoé")
        try change("currency", "EUR")
        try change("me", "Ben")
        try change("import", "export.csv")
        try change("sync")
        try change("invite")
        let link = try #require(try run(["invite", "--json"]).standard.firstMatch(of: /"link":"([^"]*)"/)?.1)
        let joined = try run([
            "join", String(link).replacing("\\/", with: "/"), "--file", stage.path("home/other.roost"),
        ])
        #expect(joined.status == 0 && joined.standard.contains("Corse"), "\(joined)")
        let names = try commands([]).filter { $0 != "person" } + commands(["person"]).map { "person \($0)" }
        #expect(names.count > 20)
        #expect(Set(names).subtracting(Self.reading).subtracting(seen).isEmpty)
    }

    /// Returns the commands that the help names.
    private func commands(_ arguments: [String]) throws -> [String] {
        let lines = try run(["help"] + arguments).standard.split(separator: "\n")
        return lines.drop { $0 != "SUBCOMMANDS:" }.compactMap { line in
            line.firstMatch(of: /^  ([a-z]+)/).map { String($0.1) }
        }
    }
}
