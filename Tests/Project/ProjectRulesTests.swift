import Foundation
import Testing

/// The rules of CONTRIBUTING.md that a machine can decide.
@Suite struct ProjectRulesTests {
    @Test func noFileIsLong() {
        for file in ProjectFiles.swift { #expect(file.lines.count <= 501, "\(file) has \(file.lines.count) lines") }
    }

    @Test(arguments: ["try!", "fatalError(", "as!", " print(", "TODO", "FIXME"])
    func sourcesDoNotSay(_ word: String) {
        for file in ProjectFiles.sources {
            for (number, line) in file.lines.enumerated() {
                let code = line.trimmingCharacters(in: .whitespaces)
                #expect(code.hasPrefix("//") || !line.contains(word), "\(file):\(number + 1): \(code)")
            }
        }
    }

    /// Client and server see each other only through the protocol; the pure rooms see nothing that acts.
    @Test(arguments: [
        ("Client/", ["RoostService", "SQLiteStore", "MemoryStore", "ServerHTTP", "Hummingbird", "NIOCore"]),
        ("Server/", ["Replica", "Roost", "Session", "Transport", "Terminal"]),
        ("Sources/RoostModel/", ["RoostMerge", "RoostProtocol", "GRDB"]),
        ("Sources/RoostMerge/", ["Foundation", "RoostProtocol", "GRDB", "Dispatch", "Glibc"]),
        ("Sources/RoostProtocol/", ["Foundation", "RoostMerge", "GRDB", "Dispatch", "Glibc"]),
        ("Client/Session/", ["Foundation", "Replica", "Transport", "Dispatch", "Glibc"]),
        ("Client/Cekikapeye/Rules/", ["Foundation", "Replica", "RoostModel", "Glibc"]),
    ])
    func roomDoesNotImport(_ room: String, _ modules: [String]) {
        for file in ProjectFiles.sources where file.path.hasPrefix(room) {
            for line in file.lines {
                guard let module = line.split(separator: " ").last, line.contains("import "), !line.hasPrefix("//")
                else { continue }
                #expect(!modules.contains(String(module)), "\(file) imports \(module)")
            }
        }
    }

    /// One room imports each C module.
    @Test(arguments: ["CSQLite", "CSQLiteStore", "CCurl", "CZstd", "CZlib"])
    func oneRoomImports(_ module: String) {
        let rooms = ProjectFiles.sources.filter { $0.lines.contains { $0.hasSuffix("import \(module)") } }
            .map { $0.path.split(separator: "/").prefix(2).joined(separator: "/") }
        #expect(Set(rooms).count <= 1, "\(Set(rooms))")
    }

    @Test func linksInDocumentsLead() {
        for file in ProjectFiles.documents {
            let folder = ProjectFiles.top.appending(path: file.path).deletingLastPathComponent()
            for line in file.lines {
                for match in line.matches(of: /\]\(([^)#: ]+)(#[^)]*)?\)/) {
                    let target = folder.appending(path: String(match.output.1))
                    #expect(FileManager.default.fileExists(atPath: target.path), "\(file): \(match.output.1)")
                }
            }
        }
    }

    @Test func noPathOfAMachineIsCommitted() {
        let files =
            ProjectFiles.swift + ProjectFiles.documents
            + ["scripts/demo", "scripts/test", "scripts/setup"].map(ProjectFiles.read)
        let home = "/" + "work/"
        for file in files {
            #expect(!file.lines.contains { $0.contains(home) }, "\(file)")
        }
    }
}
