import Foundation
import TestProcesses
import Testing

/// User mistakes in a group, and the ways out.
@Suite(.serialized) struct GroupTests {
    private let stage = try? Stage()

    private func cekikapeye(_ device: String, _ arguments: String..., folder: String? = nil) throws -> Programs.Output {
        let stage = try #require(stage)
        var environment = [
            "XDG_CONFIG_HOME": stage.path("config-\(device)"), "LC_ALL": "C.UTF-8",
            "ROOST_ADMIN_TOKEN": stage.adminToken,
        ]
        if folder == nil { environment["CEKIKAPEYE_GROUP"] = stage.path("\(device).roost") }
        return try Programs.run("cekikapeye", arguments, environment: environment)
    }

    private func group() throws {
        let stage = try #require(stage)
        let new = try cekikapeye(
            "a", "new", "Corse", "Ana", "Bob", "--currency", "EUR", "--file", stage.path("a.roost"), "--server",
            stage.address)
        try #require(new.status == 0, "\(new)")
    }

    private func join(_ device: String, role: String = "editor", me: String) throws -> Programs.Output {
        let stage = try #require(stage)
        let link = try cekikapeye("a", "invite", "--role", role).lines.first ?? ""
        return try cekikapeye(device, "join", link, "--file", stage.path("\(device).roost"), "--me", me)
    }

    /// The invite is used up before the name is looked up.
    @Test func aMistypedNameDoesNotWasteTheInvite() throws {
        try group()
        let joined = try join("b", me: "Bpb")
        #expect(joined.status == 0, "\(joined)")
        #expect(joined.error.contains("nobody here is called \"Bpb\""), "\(joined)")
        #expect(try cekikapeye("b", "me", "Bob").status == 0)
        #expect(try cekikapeye("b", "add", "5", "tea").status == 0)
        #expect(try cekikapeye("b", "sync").status == 0)
    }

    /// The other devices would never get the viewer's changes.
    @Test func aViewerIsToldBeforeAnythingIsWritten() throws {
        try group()
        #expect(try join("b", role: "viewer", me: "Bob").status == 0)
        let added = try cekikapeye("b", "add", "5", "tea")
        #expect(added.status == 64, "\(added)")
        #expect(added.error.contains("may only read"), "\(added)")
        #expect(try cekikapeye("b", "sync").status == 0)
        #expect(try cekikapeye("a", "add", "7", "cake").status == 0)
        #expect(try cekikapeye("a", "sync").status == 0)
        #expect(try cekikapeye("b", "sync").status == 0)
        #expect(try cekikapeye("b", "list").standard.contains("cake"))
    }

    @Test(arguments: [
        ["-30", "payback", "--by", "Bob"], ["--", "-30", "payback", "--by", "Bob"], ["--by", "Bob", "-30", "payback"],
    ])
    func anAmountBelowZeroIsRead(arguments: [String]) throws {
        try group()
        let added = try Programs.run(
            "cekikapeye", ["add"] + arguments,
            environment: [
                "CEKIKAPEYE_GROUP": try #require(stage).path("a.roost"),
                "XDG_CONFIG_HOME": try #require(stage).path("config-a"), "LC_ALL": "C.UTF-8",
            ])
        #expect(added.status == 0, "\(added)")
        #expect(added.standard.contains("payback: Bob paid -30.00 EUR"), "\(added)")
        #expect(added.standard.contains("Group: Corse"), "\(added)")
    }

    @Test func messagesHaveNamesAndAmounts() throws {
        try group()
        let split = try cekikapeye("a", "add", "90", "rent", "--by", "Ana=60,Bob=20")
        #expect(split.status == 64 && split.error.contains("60.00") == false, "\(split)")
        #expect(split.error.contains("80.00 EUR, the expense is 90.00 EUR"), "\(split)")
        let twice = try cekikapeye("a", "add", "90", "rent", "--by", "Ana,Ana")
        #expect(twice.error.contains("Cannot split: Ana is listed twice"), "\(twice)")
        let percents = try cekikapeye("a", "add", "90", "rent", "--percent", "Ana=50,Bob=45.5")
        #expect(
            percents.error.contains("95.50 %, expected 100 %") || percents.error.contains("95.5 %, expected 100 %"),
            "\(percents)")
        let folder = try cekikapeye("a", "import", try #require(stage).path(""))
        #expect(folder.status == 65 && folder.error.contains("it is a folder"), "\(folder)")
    }

    @Test func aReplacedChangeIsNamedWithItsWayBack() throws {
        try group()
        let id = try cekikapeye("a", "add", "50", "rent", "--json").standard.firstMatch(of: /"id":"([0-9a-f-]{36})"/)
            .map { String($0.output.1) }
        let spending = try #require(id)
        #expect(try cekikapeye("a", "sync").standard.contains("Group: Corse"))
        #expect(try join("b", me: "Bob").status == 0)
        #expect(try cekikapeye("a", "edit", spending, "--amount", "55").status == 0)
        #expect(try cekikapeye("b", "edit", spending, "--amount", "66").status == 0)
        for device in ["a", "b"] { #expect(try cekikapeye(device, "sync").status == 0) }
        let output = try cekikapeye("a", "sync").standard
        #expect(output.contains("Yours was replaced: \"rent\" (55.00 EUR). That of Bob ("), "\(output)")
        #expect(output.contains("\"rent\" (66.00 EUR)"), "\(output)")
        let command = try #require(output.firstMatch(of: /roost restore (\S+) (\d+)/))
        try Programs.check("roost", "restore", String(command.output.1), String(command.output.2))
        #expect(try cekikapeye("a", "list").standard.contains("55.00 EUR"))
    }

    /// The delete was made without knowledge of the edit, and hides it nevertheless.
    @Test(arguments: ["undo", "delete"]) func anEditUnderADeleteIsNamedWithItsWayBack(command: String) throws {
        try group()
        let id = try cekikapeye("a", "add", "70", "dinner", "--json").standard.firstMatch(of: /"id":"([0-9a-f-]{36})"/)
            .map { String($0.output.1) }
        let spending = try #require(id)
        #expect(try cekikapeye("a", "sync").status == 0)
        #expect(try join("b", me: "Bob").status == 0)
        #expect(try cekikapeye("b", "edit", spending, "--amount", "77").status == 0)
        let own = try cekikapeye("b", "sync").standard
        #expect(!own.contains("Deleted by"), "\(own)")
        let gone =
            command == "undo" ? try cekikapeye("a", "undo") : try cekikapeye("a", "delete", spending)
        #expect(gone.status == 0, "\(gone)")
        #expect(try cekikapeye("a", "sync").standard.contains("Deleted by") == false)
        let output = try cekikapeye("b", "sync").standard
        #expect(output.contains(": \"dinner\" (77.00 EUR)."), "\(output)")
        let journal = try Programs.check("roost", "journal", try #require(stage).path("b.roost")).standard
        #expect(journal.contains("can come back, with their last edits: 1."), "\(journal)")
        let back = try #require(output.firstMatch(of: /Bring it back: cekikapeye undelete ([0-9a-f]+)/), "\(output)")
        #expect(try cekikapeye("b", "undelete", String(back.output.1)).status == 0)
        #expect(try cekikapeye("b", "list").standard.contains("77.00 EUR"))
        #expect(try cekikapeye("b", "sync").standard.contains("Deleted by") == false)
    }

    @Test func sharingAgainByMistakeIsHarmless() throws {
        try group()
        let stage = try #require(stage)
        let again = try cekikapeye("a", "share", "--server", stage.address)
        #expect(
            again.status == 64 && again.error.contains("already. Let others in with \"cekikapeye invite\""), "\(again)")
        // The server already has the group, so nothing is created again.
        #expect(try cekikapeye("a", "share", "--again", "--server", stage.address).status != 0)
        #expect(try cekikapeye("a", "sync").status == 0)
    }

    @Test(arguments: ["boss", "Viewer"]) func rolesAreNamedAsTyped(role: String) throws {
        try group()
        let invite = try cekikapeye("a", "invite", "--role", role)
        if role == "boss" {
            #expect(invite.status == 64 && invite.error.contains("'boss'"), "\(invite)")
        } else {
            #expect(invite.lines.count == 1 && invite.error.contains("Group: Corse"), "\(invite)")
        }
    }

    @Test func aServerThatCannotBeReachedIsNamedInPlainWords() throws {
        try group()
        let stage = try #require(stage)
        stage.server?.kill()
        for arguments in [["sync"], [], ["status"]] {
            let output = try Programs.run(
                "cekikapeye", arguments,
                environment: [
                    "CEKIKAPEYE_GROUP": stage.path("a.roost"), "XDG_CONFIG_HOME": stage.path("config-a"),
                    "LC_ALL": "C.UTF-8",
                ])
            #expect(output.standard.contains("cannot be reached. Check the network"), "\(output)")
            #expect(!output.standard.contains("curl") && !output.standard.contains(" ms:"), "\(output)")
        }
    }

    @Test func aServerThatLostItsDataIsNamedAndTakesTheGroupAgain() throws {
        try group()
        let stage = try #require(stage)
        #expect(try join("b", me: "Bob").status == 0)
        #expect(try cekikapeye("b", "add", "8", "bread").status == 0)
        stage.server?.kill()
        try FileManager.default.removeItem(atPath: stage.path("server"))
        try stage.startServer()
        let sync = try cekikapeye("a", "sync")
        #expect(sync.status == 77 && sync.standard.contains("or one that has lost its data"), "\(sync)")
        #expect(sync.standard.contains("cekikapeye share --again --server \(stage.address)"), "\(sync)")
        let invite = try cekikapeye("a", "invite")
        #expect(invite.status == 77 && !invite.error.contains("Bearer"), "\(invite)")
        let again = try cekikapeye("a", "share", "--again", "--server", stage.address)
        #expect(again.status == 0, "\(again)")
        let link = try cekikapeye("a", "invite").lines.first ?? ""
        try Programs.check("roost", "join", link, stage.path("b.roost"))
        #expect(try cekikapeye("a", "sync").status == 0)
        #expect(try cekikapeye("a", "list").standard.contains("bread"))
    }

    @Test func aWrongAdminTokenIsNamed() throws {
        let stage = try #require(stage)
        let file = stage.path("wrong-token")
        try Data("roost_a_nonsense\n".utf8).write(to: URL(filePath: file))
        let new = try cekikapeye("a", "new", "Corse", "Ana", "--currency", "EUR", "--file", stage.path("a.roost"))
        #expect(new.status == 0)
        let share = try cekikapeye("a", "share", "--server", stage.address, "--admin-token-file", file)
        #expect(share.status == 77 && share.error.contains("does not know this admin token"), "\(share)")
    }
}
