import Foundation
import TestProcesses

/// A section of Docs/other-programs.md or of a page below it: blocks that run in order, next to two devices.
struct Recipe: Case {
    /// The heading.
    let name: String
    /// The file's path, relative to `Docs`.
    let page: String
    let blocks: [RecipeBlock]

    /// The options with which both devices of the recipe are made.
    var options: [String] { name.hasSuffix("identifiers as text") ? ["--identifiers", "text"] : [] }

    /// The recipes of all pages, except the section that makes the two devices.
    static let all = sections.filter { $0.name != setUpName }

    /// The section that makes the two devices.
    static let setUp = sections.first { $0.name == setUpName }

    /// The schema of both devices, as the section that makes them writes it into a file.
    static let schema =
        setUp?.blocks.first.map { block in
            block.text.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
        } ?? ""

    /// The tables of ``schema`` with their columns.
    static let tables = [
        ("person", ["name", "active"]),
        (
            "spending",
            ["content", "amount", "day", "paid_at", "rate", "info", "picture", "receipt", "person"]
        ),
        ("tag", ["word"]), ("spending_tags", ["source", "target"]),
    ]

    static let pages =
        ["other-programs.md"]
        + ["django", "etl-and-backups", "peewee-and-pony", "relationships", "sqlalchemy", "tools"].map { name in
            "other-programs/\(name).md"
        }

    private static let setUpName = "Set up"

    private static let sections = pages.flatMap { page in
        let url = Programs.repository.appending(path: "Docs").appending(path: page)
        return recipes(of: (try? String(contentsOf: url, encoding: .utf8)) ?? "", page: page)
    }

    /// Returns the recipes of a page. The recipe of a subsection begins with the blocks of its section, and a section that has
    /// subsections is no recipe itself.
    static func recipes(of text: String, page: String) -> [Recipe] {
        let sections = RecipeSection.sections(of: text)
        var shared: [RecipeBlock] = []
        var recipes: [Recipe] = []
        for (index, section) in sections.enumerated() {
            if !section.isSubsection { shared = section.blocks }
            let blocks = section.isSubsection ? shared + section.blocks : section.blocks
            let hasSubsections =
                !section.isSubsection && index + 1 < sections.count && sections[index + 1].isSubsection
            if !blocks.isEmpty, !hasSubsections {
                recipes.append(Recipe(name: section.name, page: page, blocks: blocks))
            }
        }
        return recipes
    }
}

/// A heading of the second or third level, with the blocks up to the next heading.
private struct RecipeSection {
    let name: String
    let isSubsection: Bool
    var blocks: [RecipeBlock] = []

    static func sections(of text: String) -> [RecipeSection] {
        var sections: [RecipeSection] = []
        var block: RecipeBlock?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block, let last = sections.indices.last { sections[last].blocks.append(block) }
                block = block == nil ? RecipeBlock(language: String(line.dropFirst(3)), line: index + 2) : nil
            } else if block != nil {
                block?.text += "\(line)\n"
            } else if line.hasPrefix("## ") {
                sections.append(RecipeSection(name: String(line.dropFirst(3)), isSubsection: false))
            } else if line.hasPrefix("### ") {
                sections.append(RecipeSection(name: String(line.dropFirst(4)), isSubsection: true))
            }
        }
        return sections
    }
}
