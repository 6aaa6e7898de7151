import Foundation
import Testing

@testable import core_data_course

@Suite struct CourseTests {
    /// The steps of the course in the order of the output, which names each on a line of its own.
    private static func titles(of text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
    }

    private static func page() throws -> String { try SourceFiles.text("Examples/CoreDataCourse/README.md") }

    /// Returns the text that the page shows as the output.
    private static func shownOutput() throws -> String {
        let parts = try page().components(separatedBy: "```text\n")
        return try #require(parts.last).components(separatedBy: "```")[0]
    }

    /// Counts the lines of code behind each `MARK`.
    private static func lines(of sources: [String]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for source in sources {
            var title: String?
            for line in source.split(separator: "\n").map({ $0.trimming(while: \.isWhitespace) }) {
                if line.hasPrefix("// MARK: ") {
                    title = String(line.dropFirst("// MARK: ".count))
                } else if let title, !["//", "heading(", "show("].contains(where: line.hasPrefix), !line.isEmpty {
                    counts[title, default: 0] += 1
                }
            }
        }
        counts["-"] = nil
        return counts
    }

    @Test @MainActor func pageShowsTheOutput() async throws {
        let folder = URL.temporaryDirectory.appending(path: "course-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var output = ""
        try await Course(CourseStack(folder)) { output += "\($0)\n" }.run()
        #expect(try output == Self.shownOutput())
    }

    @Test func tableHasEachStepWithItsLines() throws {
        let inRoost = Self.lines(of: try SourceFiles.swift(under: "Examples/CoreDataCourse"))
        let inCoreData = Self.lines(of: [try SourceFiles.text("Examples/CoreDataCourse/core-data.txt")])
        let table = try Self.page().split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.split(separator: "|").map { $0.trimming(while: \.isWhitespace) }
        }
        let rows = try Self.titles(of: Self.shownOutput()).map { title in
            (title, try #require(table.first { $0[0] == title }, "The table has no row \"\(title)\"."))
        }
        for (title, row) in rows {
            #expect(row[2] == "\(try #require(inCoreData[title]))", "\(title) in Core Data")
            #expect(row[4] == "\(try #require(inRoost[title]))", "\(title) in Roost")
        }
        #expect(Set(inRoost.keys) == Set(rows.map(\.0)))
        #expect(Set(inCoreData.keys) == Set(rows.map(\.0)))
        let all = try #require(table.last { $0[0] == "all" })
        #expect(all[2] == "\(inCoreData.values.reduce(0, +))")
        #expect(all[4] == "\(inRoost.values.reduce(0, +))")
    }

    @Test @MainActor func aFileThatCannotBeOpenedIsReported() throws {
        let file = URL.temporaryDirectory.appending(path: "course-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("no folder".utf8).write(to: file)
        #expect(throws: (any Error).self) { try CourseStack(file).container }
    }
}

extension Substring {
    fileprivate func trimming(while isLeftOut: (Character) -> Bool) -> Substring {
        var part = drop(while: isLeftOut)
        while let last = part.last, isLeftOut(last) { part.removeLast() }
        return part
    }
}
