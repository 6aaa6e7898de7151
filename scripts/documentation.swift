// Checks what DocC does not: every public symbol has a comment, and every type and article stands in a topic of the landing
// page. scripts/docs runs it with the folder of the symbol graphs and the folder of the catalogue.

import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable {
            let identifier: String
            let displayName: String
        }
        struct Comment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }

        let kind: Kind
        let pathComponents: [String]
        let docComment: Comment?
        let location: Location?

        var name: String { pathComponents.joined(separator: ".") }
        var place: String {
            location.map { "\($0.uri.replacing("file://", with: "")):\($0.position.line + 1): " } ?? ""
        }
        /// An extension of somebody else's type has no comment of its own; what is in it has.
        var takesComment: Bool { kind.identifier != "swift.extension" }
        /// Whether it begins with a sentence, and not with a list of parameters or errors.
        var hasComment: Bool {
            guard let first = docComment?.lines.first?.text.trimmingCharacters(in: .whitespaces) else { return false }
            return !first.isEmpty && !first.hasPrefix("- ")
        }
        var isTopLevel: Bool { pathComponents.count == 1 && takesComment }
    }

    let symbols: [Symbol]
}

func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

func files(_ folder: String, _ suffix: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: URL(filePath: folder), includingPropertiesForKeys: nil)
        .filter { $0.lastPathComponent.hasSuffix(suffix) }.sorted { $0.path < $1.path }
}

let (graphs, catalogue) = (CommandLine.arguments[1], CommandLine.arguments[2])
let landing = try text(URL(filePath: catalogue).appending(path: "Roost.md"))
/// What the topics list: `- ``Symbol``` or `- <doc:Article>`.
let topics = landing.matches(of: #/(?m)^- (?:``(.+?)``|<doc:(.+?)>)/#)
let listed = Set(topics.map { String($0.output.1 ?? $0.output.2 ?? "") })
var problems: [String] = []

for file in try files(graphs, ".symbols.json") {
    let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
    for symbol in graph.symbols where symbol.takesComment && !symbol.hasComment {
        problems.append(
            "\(symbol.place)\"\(symbol.name)\" is public, and no comment begins by saying what it means. Write one.")
    }
    // Extensions of others' types have files of their own.
    guard !file.lastPathComponent.contains("@") else { continue }
    for symbol in graph.symbols where symbol.isTopLevel && !listed.contains(symbol.name) {
        problems.append(
            "\(symbol.place)\"\(symbol.name)\" is in no topic. List it in Client/Roost/Roost.docc/Roost.md.")
    }
}
for file in try files(catalogue, ".md") where try !text(file).hasPrefix("# ``") {
    let name = file.deletingPathExtension().lastPathComponent
    guard !listed.contains(name) else { continue }
    problems.append("The article \"\(name)\" is in no topic. List it in Client/Roost/Roost.docc/Roost.md.")
}

for problem in Set(problems).sorted() { print(problem) }
exit(problems.isEmpty ? 0 : 1)
