import Foundation
import TestProcesses
import Testing

/// Mistakes of one person on one device: what the program answers, and with which status.
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
}
