import Foundation
import TestProcesses
import Testing

/// An owner gives a device another role, and the device is notified.
@Suite(.serialized) struct RoleChangeTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func cekikapeye(_ device: String, _ arguments: String...) throws -> Programs.Output {
        try Programs.run(
            "cekikapeye", arguments,
            environment: [
                "XDG_CONFIG_HOME": stage.path("config-\(device)"), "LC_ALL": "C.UTF-8",
                "ROOST_ADMIN_TOKEN": stage.adminToken, "CEKIKAPEYE_GROUP": stage.path("\(device).roost"),
            ])
    }

    /// Makes a group on "a", which "b" joins.
    private func join(role: String) throws {
        let new = try cekikapeye(
            "a", "new", "Corse", "Ana", "Bob", "--currency", "EUR", "--file", stage.path("a.roost"), "--server",
            stage.address)
        try #require(new.status == 0, "\(new)")
        let link = try cekikapeye("a", "invite", "--role", role).lines.first ?? ""
        let joined = try cekikapeye("b", "join", link, "--file", stage.path("b.roost"), "--me", "Bob")
        try #require(joined.status == 0, "\(joined)")
    }

    private func setRole(_ role: String) throws {
        let devices = try Programs.check("roost", "devices", stage.path("a.roost")).lines
        let line = try #require(devices.first { $0.contains("Bob") })
        try Programs.check(
            "roost", "role", stage.path("a.roost"), String(line.split(separator: " ")[0]), role)
    }

    @Test func aViewerWhoIsMadeEditorWritesAfterASynchronisation() throws {
        try join(role: "viewer")
        try setRole("editor")
        #expect(try cekikapeye("b", "add", "5", "tea").error.contains("run \"cekikapeye sync\""))
        #expect(try cekikapeye("b", "sync").status == 0)
        let added = try cekikapeye("b", "add", "5", "tea")
        #expect(added.status == 0, "\(added)")
        #expect(try cekikapeye("b", "sync").status == 0)
        #expect(try cekikapeye("a", "sync").status == 0)
        #expect(try cekikapeye("a", "list").standard.contains("tea"))
        #expect(try Programs.check("roost", "status", stage.path("b.roost")).standard.contains("as editor"))
    }

    @Test func anEditorWhoIsMadeViewerHearsOfItWithTheRefusal() throws {
        try join(role: "editor")
        try setRole("viewer")
        #expect(try cekikapeye("b", "add", "5", "tea").status == 0)
        #expect(try cekikapeye("b", "sync").status != 0)
        let added = try cekikapeye("b", "add", "6", "cake")
        #expect(added.status == 64 && added.error.contains("may only read"), "\(added)")
        // Pending changes are sent once the role allows it.
        try setRole("editor")
        #expect(try cekikapeye("b", "sync").status == 0)
        #expect(try cekikapeye("b", "add", "6", "cake").status == 0)
    }

    @Test func aProgramInTheBackgroundHearsOfItWithWhatOthersWrite() throws {
        try join(role: "viewer")
        let daemon = try RunningProgram(
            Programs.url("roostd").path, [stage.path("b.roost")], log: stage.folder.appending(path: "roostd.log"))
        defer { daemon.kill() }
        #expect(try eventually(within: 60) { daemon.log.contains("up to date") }, "\(daemon.log)")
        try setRole("editor")
        #expect(try cekikapeye("a", "add", "7", "cake").status == 0)
        #expect(try cekikapeye("a", "sync").status == 0)
        #expect(
            try eventually(within: 60) {
                try Programs.check("roost", "status", stage.path("b.roost")).standard.contains("as editor")
            }, "\(daemon.log)")
    }

    /// The advice that a viewer gets is correct.
    @Test func anInviteOfAnEditorIsForTheFileThatIsThere() throws {
        try join(role: "viewer")
        let refused = try cekikapeye("b", "add", "5", "tea").error
        #expect(refused.contains("roost join LINK \(stage.path("b.roost"))"), "\(refused)")
        let link = try cekikapeye("a", "invite").lines.first ?? ""
        let again = try cekikapeye("b", "join", link, "--file", stage.path("b.roost"))
        #expect(again.status == 73, "\(again)")
        #expect(again.error.contains("run: roost join LINK \(stage.path("b.roost"))"), "\(again)")
        try Programs.check("roost", "join", link, stage.path("b.roost"))
        #expect(try cekikapeye("b", "add", "5", "tea").status == 0)
    }

    @Test func aMistypedLinkIsSaidToBeOne() throws {
        for text in ["roost_i_kaLo0Xg5Ck0C9wmm25xvfxM2lLAsk33HbhJR", "roost_i_kaLo0Xg5Ck0C9"] {
            let join = try cekikapeye("c", "join", "\(stage.address)/join#\(text)", "--file", stage.path("c.roost"))
            #expect(join.status == 77, "\(join)")
            #expect(join.error.contains("mistyped or cut. Copy it again from its sender."), "\(join)")
        }
    }
}
