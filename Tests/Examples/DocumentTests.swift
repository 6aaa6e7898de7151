import Foundation
import RoostModel
import SchemaGenerator
import Testing

@testable import library_catalogue
@testable import spending_list

/// The code in the documents of the object layer is compiled and run, and its results are checked.
@Suite struct DocumentTests {
    /// Returns the blocks of a document in some language, their lines without indentation.
    private static func blocks(_ language: String, of path: String) throws -> [[String]] {
        let parts = try SourceFiles.text(path).components(separatedBy: "```")
        let blocks = parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.filter { $0.hasPrefix("\(language)\n") }.map { lines(String($0.dropFirst(language.count))) }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.map(String.init).filter { !$0.isEmpty }
    }

    /// The articles of the documentation pages.
    private static let articles = SourceFiles.paths(under: "Client/Roost/Roost.docc", endingIn: ".md")

    @Test(
        arguments: articles + [
            "README.md", "Docs/migrations.md", "Examples/SpendingList/README.md", "Examples/LibraryCatalogue/README.md",
            "Examples/CoreDataCourse/README.md", "Examples/SharedList/README.md",
        ])
    func everyBlockOfSwiftIsCompiled(_ path: String) throws {
        let sources = try ["Tests/Examples", "Examples", "Tests/EndToEnd"].flatMap(SourceFiles.swift).map {
            "\n\(Self.lines($0).joined(separator: "\n"))\n"
        }
        // A manifest of a package is checked by scripts/packages.
        let blocks = try Self.blocks("swift", of: path).filter { $0.first?.hasPrefix("// swift-tools-version") != true }
        for block in blocks {
            let text = "\n\(block.joined(separator: "\n"))\n"
            #expect(sources.contains { $0.contains(text) }, "\(path) has a block that no test compiles: \(text)")
        }
    }

    @Test func articlesHaveBlocks() throws {
        let blocks = try Self.articles.map { try Self.blocks("swift", of: $0).count }
        #expect(blocks.reduce(0, +) > 25)
    }

    @Test func schemaOfTheFirstProgramIsThatOfItsClasses() throws {
        let text = try SourceFiles.text("Examples/SpendingList/spendings.schema.json")
        let article = "Client/Roost/Roost.docc/GettingStarted.md"
        #expect(try Self.blocks("json", of: article) == [Self.lines(text)])
    }

    @Test func pageOfTheSpendingListShowsItsOutput() throws {
        let text = try SpendingStory.text()
        #expect(try Self.blocks("text", of: "Examples/SpendingList/README.md").last == Self.lines(text))
    }

    @Test func pageOfTheCatalogueShowsItsOutput() throws {
        let text = try CatalogueStory.text()
        #expect(try Self.blocks("text", of: "Examples/LibraryCatalogue/README.md").last == Self.lines(text))
    }

    @Test(arguments: [
        ("SpendingList/spendings.schema.json", "SpendingList/SpendingsModel.swift"),
        ("LibraryCatalogue/catalogue.schema.json", "LibraryCatalogue/CatalogueModel.swift"),
        ("CoreDataCourse/trip.schema.json", "CoreDataCourse/TripModel.swift"),
        ("SharedList/spendings.schema.json", "SharedList/SpendingsModel.swift"),
    ])
    func generatingAgainGivesTheSameBytes(schema: String, file: String) throws {
        let source = SwiftGenerator.source(for: try Schema(json: SourceFiles.text("Examples/\(schema)")))
        #expect(try source == SourceFiles.text("Examples/\(file)"))
    }
}
