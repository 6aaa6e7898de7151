import Foundation
import TestProcesses
import Testing

/// The expense application on two devices.
@Suite(.serialized) struct ImportTests {
    private static let ledger = Programs.repository.deletingLastPathComponent()
        .appending(path: "shared/data/splitwise/friend-2p-mkd-2016-2026.csv").path

    private func cekikapeye(_ stage: Stage, _ group: String, _ arguments: String...) throws -> Programs.Output {
        try Programs.run(
            "cekikapeye", arguments,
            environment: [
                "CEKIKAPEYE_GROUP": stage.path(group), "XDG_CONFIG_HOME": stage.path("config-\(group)"),
                "LC_ALL": "C.UTF-8",
                "ROOST_ADMIN_TOKEN": stage.adminToken,
            ])
    }

    private func group(_ stage: Stage, currency: String) throws {
        let new = try cekikapeye(
            stage, "a.roost", "new", "Home", "Ana", "--currency", currency, "--file", stage.path("a.roost"), "--server",
            stage.address)
        try #require(new.status == 0, "\(new)")
        let link = try Programs.check("roost", "invite", stage.path("a.roost")).lines.first ?? ""
        let join = try cekikapeye(stage, "b.roost", "join", link, "--file", stage.path("b.roost"))
        try #require(join.status == 0, "\(join)")
    }

    // The ledger is that of two real people over ten years. It is not part of the project.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: ledger), "the sample ledger is not beside the repository"))
    func tenYearsOfALedgerBalanceToZeroOnTheOtherDevice() throws {
        let stage = try Stage()
        try group(stage, currency: "MKD")
        let imported = try cekikapeye(stage, "a.roost", "import", Self.ledger)
        #expect(imported.status == 0, "\(imported)")
        let count = try Programs.sql(stage.path("a.roost"), "select count(*) from spending").lines
        #expect(count == ["673"])
        let again = try cekikapeye(stage, "a.roost", "import", Self.ledger)
        #expect(again.status == 0, "\(again)")
        #expect(try Programs.sql(stage.path("a.roost"), "select count(*) from spending").lines == count)
        for device in ["a.roost", "b.roost"] { #expect(try cekikapeye(stage, device, "sync").status == 0) }
        #expect(try Programs.sql(stage.path("b.roost"), "select count(*) from spending").lines == count)
        let balances = try cekikapeye(stage, "b.roost", "balances", "--json")
        #expect(balances.status == 0, "\(balances)")
        let amounts = balances.standard.matches(of: /"minorUnits":(-?[0-9]+)/).map { String($0.output.1) }
        #expect(amounts.allSatisfy { $0 == "0" }, "\(balances.standard)")
        let shown = try cekikapeye(stage, "b.roost", "balances").standard
        #expect(!shown.contains(/[1-9][0-9]*\.[0-9]{2}/), "\(shown)")
    }

    @Test func badRowIsNamedAndNothingIsImported() throws {
        let stage = try Stage()
        try group(stage, currency: "EUR")
        let file = stage.path("bad.csv")
        let rows =
            "Date,Description,Category,Cost,Currency,Ana,Bob\n\n2026-01-01,Good,General,10.00,EUR,5.00,-5.00\n2026-01-02,Bad,General,ten,EUR,5.00,-5.00\n"
        try Data(rows.utf8).write(to: URL(filePath: file))
        let output = try cekikapeye(stage, "a.roost", "import", file)
        #expect(output.status == 65, "\(output)")
        #expect((output.standard + output.error).contains("4"))
        #expect(try Programs.sql(stage.path("a.roost"), "select count(*) from spending").lines == ["0"])
        #expect(try cekikapeye(stage, "a.roost", "import", file, "--skip-bad").status == 0)
        #expect(try Programs.sql(stage.path("a.roost"), "select count(*) from spending").lines == ["1"])
        #expect(try cekikapeye(stage, "a.roost", "undo").status == 0)
        #expect(try Programs.sql(stage.path("a.roost"), "select count(*) from spending").lines == ["0"])
    }
}
