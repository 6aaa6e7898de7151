import Foundation
import TestProcesses
import Testing

/// User mistakes on one device: the program's messages, and its statuses.
@Suite final class UserMistakeTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "cekikapeye-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.appending(path: "config").path, "LC_ALL": "C.UTF-8", "CEKIKAPEYE_GROUP": ""]
    }

    private func cekikapeye(_ arguments: String..., in subfolder: String = "") throws -> Programs.Output {
        try Programs.run(
            "cekikapeye", arguments, environment: environment, in: folder.appending(path: subfolder))
    }

    private func group(_ people: String...) throws {
        let output = try Programs.run(
            "cekikapeye", ["new", "Trip"] + people + ["--currency", "EUR"], environment: environment, in: folder)
        try #require(output.status == 0, "\(output)")
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private static let export = """
        Date,Description,Category,Cost,Currency,Ana,Ben

        2026-07-01,Courses,Groceries,40.00,EUR,20.00,-20.00

        2026-07-05,Total balance, , ,EUR,20.00,-20.00
        """

    @Test func aFailedProofIsAFailureThoughNothingIsNew() throws {
        try group("Ana", "Ben")
        try write("export.csv", Self.export)
        #expect(try cekikapeye("import", "export.csv").status == 0)
        #expect(try cekikapeye("import", "export.csv").status == 0)
        try Programs.sql(folder.appending(path: "trip.roost").path, "UPDATE spending SET amount = 4400")
        for arguments in [["import", "export.csv"], ["import", "export.csv", "--dry-run"]] {
            let again = try Programs.run("cekikapeye", arguments, environment: environment, in: folder)
            #expect(again.status == 65, "\(again)")
            #expect(again.error.contains("do not balance as the file does"), "\(again)")
        }
        #expect(try cekikapeye("import", "export.csv", "--beside").status == 0)
    }

    @Test(arguments: [true, false]) func aFileWithoutARowThatCanBeReadLeavesNoGroup(hasGroup: Bool) throws {
        try write(
            "export.csv",
            "Date,Description,Category,Cost,Currency,Ana,Ben\n01/07/2026,Taxi,T,20.00,EUR,10.00,-10.00\n")
        if hasGroup { try group("Ana", "Ben") }
        let output = try cekikapeye("import", "export.csv", "--skip-bad")
        #expect(output.status == 65, "\(output)")
        #expect(output.error.contains("not one of its rows can be read"), "\(output)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!files.contains("export.roost"), "\(files)")
    }

    @Test func whoUsesTheDeviceAndWasDeletedIsToldSo() throws {
        try group("Ana", "Ben M")
        #expect(try cekikapeye("me", "Ben").status == 0)
        #expect(try cekikapeye("person", "delete", "Ben", "--yes").status == 0)
        let me = try cekikapeye("me")
        #expect(me.standard.contains("You are Ben M, who was deleted."), "\(me)")
        #expect(me.standard.contains("cekikapeye undelete 'Ben M'"), "\(me)")
        let added = try cekikapeye("add", "5", "tea")
        #expect(added.status == 64, "\(added)")
        #expect(added.error.contains("was deleted. Bring them back: cekikapeye undelete 'Ben M'"), "\(added)")
        #expect(try cekikapeye("undelete", "Ben M").status == 0)
        #expect(try cekikapeye("add", "5", "tea").standard.contains("Ben M paid"))
    }

    /// A record of another program may have a name of any length.
    @Test func aLongNameDoesNotWidenEachLine() throws {
        try group("Ana", "Ben")
        #expect(try cekikapeye("add", "42,50", "x").status == 0)
        try Programs.sql(
            folder.appending(path: "trip.roost").path,
            "insert into person(name,active) values (printf('%.100000c','A'),1); update spending set content = printf('%.100000c','B')"
        )
        for arguments in [
            [], ["balances"], ["list"], ["person"], ["settle"], ["log"], ["person", "rename", "Zoe", "Eve"],
        ] {
            let output = try Programs.run("cekikapeye", arguments, environment: environment, in: folder)
            #expect(output.standard.utf8.count + output.error.utf8.count < 3000, "\(arguments)")
        }
        #expect(try cekikapeye("person").standard.contains("AAAA…"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs a device that is always full"))
    func outputThatCannotBeWrittenIsAFailure() throws {
        try group("Ana", "Ben")
        let output = try Programs.run(
            "/bin/sh", ["-c", "exec '\(Programs.url("cekikapeye").path)' export > /dev/full"],
            environment: environment, in: folder)
        #expect(output.status == 73, "\(output)")
        #expect(output.error.contains("No space left on device"), "\(output)")
    }

    @Test func textOfOthersHidesNothing() throws {
        try group("Ana", "Ben")
        let hidden = "\u{61C}\u{200B}\u{2060}\u{AD}\u{FFF9}\u{E0041}\u{202E}"
        #expect(try cekikapeye("person", "add", "A\(hidden)na", "👩‍👧").status == 0)
        for arguments in [["person"], ["person", "--json"], ["log"], ["balances"]] {
            let output = try Programs.run("cekikapeye", arguments, environment: environment, in: folder).standard
            #expect(!output.unicodeScalars.contains { hidden.unicodeScalars.contains($0) }, "\(output)")
        }
        #expect(try cekikapeye("person").standard.contains("👩‍👧"))
    }

    @Test func settlingNamesWhatItLeavesOut() throws {
        try group("Ana", "Ben")
        #expect(try cekikapeye("add", "30", "pizza", "--by", "Ben").status == 0)
        #expect(try cekikapeye("person", "delete", "Ben", "--yes").status == 0)
        #expect(try cekikapeye("settle").standard.contains("1 spending hidden: Ben was deleted"))
        #expect(try cekikapeye("undelete", "Ben").status == 0)
        try Programs.sql(
            folder.appending(path: "trip.roost").path,
            "UPDATE spending SET amount = 5000, split = json_set(split, '$.payers', json('{}'))")
        let settled = try cekikapeye("settle").standard
        #expect(settled.contains("is not in the balances"), "\(settled)")
        #expect(settled.contains("50.00 EUR") && !settled.contains("minor units"), "\(settled)")
    }

    /// A number refers to a payment that the user has seen.
    @Test func aPaymentThatWasNotShownIsNotRecorded() throws {
        try group("Ana", "Ben")
        #expect(try cekikapeye("add", "30", "pizza").status == 0)
        let unseen = try cekikapeye("settle", "--record", "1")
        #expect(unseen.status != 0 && unseen.error.contains("Run \"cekikapeye settle\" first"), "\(unseen)")
        #expect(try !cekikapeye("list").standard.contains("→"))
        #expect(try cekikapeye("settle").status == 0)
        #expect(try cekikapeye("settle", "--record", "1").status == 0)
        #expect(try cekikapeye("list").standard.contains("→"))
    }

    @Test func optionsMayComeBeforeTheCommand() throws {
        try group("Ana", "Ben")
        #expect(try cekikapeye("--group", "trip.roost", "add", "30", "pizza").status == 0)
        #expect(try cekikapeye("-g", "trip.roost", "--json", "person", "add", "Zoé").status == 0)
        #expect(try cekikapeye("--group", "trip.roost").standard.contains("pizza"))
    }

    @Test(arguments: [
        (["ad", "30", "pizza"], "Did you mean \"cekikapeye add\"?"), (["setle", "--help"], "cekikapeye settle"),
        (["help", "lst"], "cekikapeye list"), (["remove", "3f9a1c"], "cekikapeye delete"),
        (["--json", "frobnicate"], "There is no command \"frobnicate\""),
    ])
    func aMistypedCommandIsNamed(arguments: [String], answer: String) throws {
        let output = try Programs.run("cekikapeye", arguments, environment: environment, in: folder)
        #expect(output.status == 64, "\(output)")
        #expect(output.error.contains(answer) && !output.error.contains("overview"), "\(output)")
    }

    @Test func helpStaysHelp() throws {
        for arguments in [["help", "add"], ["add", "--help"], ["--help"], ["help"], ["person", "add", "--help"]] {
            let output = try Programs.run("cekikapeye", arguments, environment: environment, in: folder)
            #expect(output.status == 0 && output.standard.contains("USAGE"), "\(output)")
        }
    }

    @Test func completionScriptsAreMade() throws {
        let output = try cekikapeye("--generate-completion-script", "bash")
        #expect(output.status == 0 && output.standard.contains("cekikapeye"), "\(output)")
    }

    @Test func aGroupOfNobodyStartsWithPeople() throws {
        try group()
        #expect(try cekikapeye("add", "5", "tea").error.contains("cekikapeye person add NAME"))
    }

    @Test(arguments: ["hello", "roost_i_xeKXyUXOvWAAFbII1xwqC7JlLhsvXN2gHsTK", ""])
    func whatIsNoLinkIsNamed(text: String) throws {
        let output = try cekikapeye("join", text)
        #expect(output.status == 64 && output.error.contains("this is no invite link"), "\(output)")
    }

    @Test(arguments: [" ", "\n", "<>"]) func aLinkIsReadWithoutWhatIsAroundIt(marks: String) throws {
        let (before, after) = (String(marks.first ?? " "), String(marks.last ?? " "))
        // The link was parsed: the connection fails, because no program listens there.
        let output = try cekikapeye("join", before + "http://127.0.0.1:9/join#roost_i_abc" + after)
        #expect(output.status == 69, "\(output)")
    }

    @Test func whatIsNoGroupIsNamed() throws {
        try group("Ana", "Ben")
        let path = folder.appending(path: "trip.roost").path
        try Data().write(to: folder.appending(path: "trip.roost-sync"))
        try Programs.sql(folder.appending(path: "photos.sqlite").path, "CREATE TABLE t(a)")
        for (name, answer) in [
            (path + "-sync", "is a part of"), (path + "-wal", "is a part of"), (folder.path, "it is a folder"),
            (folder.appending(path: "photos.sqlite").path, "no group is in this file"),
        ] {
            let output = try cekikapeye("--group", name)
            #expect(output.status == 65 && output.error.contains(answer), "\(output)")
            #expect(!output.error.contains("Remove") && !output.error.contains("VACUUM"), "\(output)")
        }
    }

    @Test func aGroupThatWasMovedIsMissedAndItsUserKnown() throws {
        try group("Ana", "Ben")
        #expect(try cekikapeye("me", "Ben").standard.contains("Group: Trip"))
        let other = folder.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            at: folder.appending(path: "trip.roost"), to: other.appending(path: "italy.roost"))
        for arguments in [[], ["add", "5", "tea"]] {
            let output = try Programs.run("cekikapeye", arguments, environment: environment, in: folder)
            #expect(output.error.contains("trip.roost\" is not there any more"), "\(output)")
        }
        let added = try cekikapeye("add", "5", "tea", in: "other")
        #expect(added.standard.contains("tea: Ben paid 5.00 EUR"), "\(added)")
    }

    @Test func aGroupThatWasGuessedIsNamed() throws {
        try group("Ana", "Ben")
        #expect(try !cekikapeye("balances").standard.contains("Group:"))
        #expect(try cekikapeye("new", "Kino", "Ana", "Ben", "--currency", "EUR").status == 0)
        for command in ["balances", "list", "settle"] {
            #expect(try cekikapeye(command).standard.hasPrefix("Group: Kino"))
        }
    }

    @Test func aFileWithoutATokenIsNamed() throws {
        try group("Ana", "Ben")
        try write("diary.txt", "Dear diary,\nsecond line\n")
        let output = try cekikapeye("share", "--server", "http://127.0.0.1:9", "--admin-token-file", "diary.txt")
        #expect(output.status == 65 && output.error.contains("it holds no admin token"), "\(output)")
    }

    @Test func aJoinThatWasInterruptedIsNamed() throws {
        try Data().write(to: folder.appending(path: "trip.roost"))
        let output = try cekikapeye("add", "5", "tea")
        #expect(output.status == 66 && output.error.contains("joining it was interrupted"), "\(output)")
        // No program listens at the address. The empty file does not prevent the join, and is removed.
        #expect(try cekikapeye("join", "http://127.0.0.1:9/join#roost_i_abc", "--file", "trip.roost").status == 69)
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "trip.roost").path))
        try Data().write(to: folder.appending(path: "trip.roost"))
        try group("Ana", "Ben")
        try write("notes.roost", "these are notes")
        #expect(try cekikapeye("new", "Notes", "--currency", "EUR").status == 73)
    }
}
