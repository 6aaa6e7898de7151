import Foundation
import TestProcesses
import Testing

/// `roost-bench` prints what Docs/benchmarks.md documents, on the smallest work. The figures themselves are not checked.
@Suite final class BenchTests {
    private struct Line: Decodable {
        var row: String
        var measure: String
        var figure: Double
        var unit: String
        var mode: String
        var bar: Double?
        var reached: Bool?
        var diskSyncs: Double?
        var memoryLine: Double?
        var floor: Double?
        var floorRatio: Double?
        var by: String?
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-bench-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func figuresStandBesideTheirBars() throws {
        let figures = try lines(Programs.check("roost-bench", "--quick", "--json", "memory").standard)
        #expect(figures.map(\.measure) == ["idle", "connection"])
        #expect(figures.map(\.bar) == [25, 20])
        #expect(figures.allSatisfy { $0.row == "memory" && $0.mode == "none" && $0.figure > 0 })
        #expect(figures.allSatisfy { $0.reached == ($0.figure <= $0.bar ?? 0) })
        #expect(figures.allSatisfy { $0.diskSyncs ?? 0 > 0 && $0.memoryLine ?? 0 > 0 })
    }

    @Test func rowsStandBesideTheirFloors() throws {
        let figures = try lines(Programs.check("roost-bench", "--quick", "--json", "insert").standard)
        #expect(figures.count == 8)
        for figure in figures {
            let (floor, ratio) = (try #require(figure.floor), try #require(figure.floorRatio))
            // Both numbers are printed with five digits.
            #expect(floor > 0 && abs(figure.figure / floor / ratio - 1) < 0.001, "\(figure)")
        }
    }

    @Test func keptRunBeginsWithItsCommit() throws {
        let output = try Programs.run(
            "roost-bench", ["--quick", "--json", "--keep", "--commit", "0123abc", "memory"], in: folder)
        let results = folder.appending(path: "Benchmarks/results")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: results.path).first)
        let kept = try String(contentsOf: results.appending(path: name), encoding: .utf8).split(separator: "\n")
        #expect(name.hasSuffix("-0123abc.jsonl"))
        #expect(kept.first?.contains("\"commit\":\"0123abc\",\"date\":") == true)
        #expect(kept.dropFirst().map(String.init) == output.lines)
    }

    @Test func growthIsPrintedAndDrawn() throws {
        let plots = folder.appending(path: "plots").path
        let points = try lines(
            Programs.check("roost-bench", "growth", "--quick", "--json", "--plots", plots).standard)
        #expect(Set(points.map(\.by)) == ["records", "scopes", "pending", "deleted", "written"])
        #expect(points.filter { $0.measure == "client, first pull" }.map(\.bar) == [150, 150])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: plots).sorted() == [
                "deleted-memory.svg", "deleted.svg", "first-pull.svg", "memory.svg", "pending-memory.svg",
                "pending.svg", "records.svg", "scopes-memory.svg",
                "scopes.svg",
            ])
        let memory = try String(contentsOfFile: plots + "/memory.svg", encoding: .utf8)
        #expect(
            memory.contains(">records in the scope<") && memory.contains(">10 k<") && memory.contains(">bar: ≤ 150<"))
    }

    @Test(arguments: [["nonsense"], ["growth", "nonsense"]])
    func unknownRowIsRefused(_ arguments: [String]) throws {
        let output = try Programs.run("roost-bench", arguments)
        #expect(output.status == 64)
        #expect(output.error.contains("Expected"))
    }
}
