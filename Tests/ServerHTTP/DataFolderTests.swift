import Foundation
import RoostModel
import RoostProtocol
import Testing

/// Folders that have an admin token, and a missing or empty database.
@Suite struct DataFolderTests {
    /// Files that an interrupted copy or a missing mount leaves instead of the database.
    enum Leftover: String, CaseIterable, Sendable {
        case empty, emptyWithLog, logAlone, headerAlone
        case firstBytes, firstBytesOfHeader, zeros

        /// Whether the file may be the beginning of a database. No command replaces such a file without keeping it.
        var isPartial: Bool { [.firstBytes, .firstBytesOfHeader, .zeros].contains(self) }
    }

    private struct Folder {
        let data = ServerProgram.newFolder()
        var database: String { data + "/roost.sqlite" }
        var log: String { database + "-wal" }
        var backup: String { data + "-backup" }

        /// Makes a scope and a backup of it, and leaves the WAL behind.
        func fill() throws -> Registration {
            let program = try ServerProgram(data: data)
            let owner = try program.makeScope(data: data)
            #expect(try ServerProgram.run(["backup", "--data", data, "--to", backup]).status == 0)
            kill(program.process.processIdentifier, SIGKILL)
            program.process.waitUntilExit()
            return owner
        }

        func apply(_ leftover: Leftover) throws {
            let whole = try Data(contentsOf: URL(filePath: database))
            let place = URL(filePath: database)
            try? FileManager.default.removeItem(atPath: database + "-shm")
            if leftover != .emptyWithLog, leftover != .logAlone { try? FileManager.default.removeItem(atPath: log) }
            switch leftover {
            case .empty, .emptyWithLog: try Data().write(to: place)
            case .logAlone: try FileManager.default.removeItem(atPath: database)
            case .headerAlone: try Self.headerAlone(whole).write(to: place)
            case .firstBytes: try whole.prefix(70).write(to: place)
            case .firstBytesOfHeader: try whole.prefix(9).write(to: place)
            case .zeros: try Data(count: whole.count).write(to: place)
            }
        }

        /// Returns a database of one page without tables.
        private static func headerAlone(_ whole: Data) -> Data {
            var page = Array(whole.prefix(100)) + [UInt8](repeating: 0, count: 4096 - 100)
            // The number of pages, the largest root page, user_version, the auto-vacuum mode, application_id.
            page.replaceSubrange(28..<32, with: [0, 0, 0, 1])
            for field in [52, 60, 64, 68] { page.replaceSubrange(field..<field + 4, with: [0, 0, 0, 0]) }
            page.replaceSubrange(92..<96, with: page[24..<28])
            // A leaf without cells, whose cell content area starts at the page's end.
            page.replaceSubrange(100..<108, with: [0x0D, 0, 0, 0, 0, 0x10, 0, 0])
            return Data(page)
        }

        /// Returns the names and bytes of all files with data. SQLite may create an empty WAL when it opens a file.
        func contents() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: data).filter {
                $0.hasPrefix("roost.sqlite") && !$0.hasSuffix("-shm")
            }
            let files = try names.map { ($0, try Data(contentsOf: URL(filePath: "\(data)/\($0)"))) }
            return Dictionary(uniqueKeysWithValues: files.filter { !$0.1.isEmpty || !$0.0.hasSuffix("-wal") })
        }

        func isKnown(_ owner: Registration) throws -> Bool {
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            return try program.call("GET", "/v1/me", token: owner.token)?.status == 200
        }
    }

    @Test(arguments: Leftover.allCases) func noCommandTakesItForADatabase(_ leftover: Leftover) async throws {
        try await offTasks {
            let folder = Folder()
            _ = try folder.fill()
            try folder.apply(leftover)
            let before = try folder.contents()
            for command in [
                ["serve", "--listen", "127.0.0.1:0"], ["backup", "--to", folder.backup + "-2"], ["owner"],
                ["clock", "accept"],
            ] {
                if command.first == "serve" {
                    // If the server starts against expectation, this stops it.
                    #expect(throws: ServerProgram.StartError.self) { _ = try ServerProgram(data: folder.data).stop() }
                    guard try folder.contents() == before else { continue }
                }
                let outcome = try ServerProgram.run(command + ["--data", folder.data])
                #expect(outcome.status == 74, "\(command) \(outcome)")
                let isNamed =
                    leftover.isPartial
                    ? outcome.errors.contains("copied in part") && outcome.errors.contains("Restore a backup")
                    : outcome.errors.contains("roost-server restore") && outcome.errors.contains("roost-server init")
                #expect(isNamed, "\(command) \(outcome)")
                #expect(try folder.contents() == before, "\(command)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.backup + "-2"))
        }
    }

    @Test(arguments: Leftover.allCases) func backupIsRestoredInItsPlace(_ leftover: Leftover) async throws {
        try await offTasks {
            let folder = Folder()
            let owner = try folder.fill()
            try folder.apply(leftover)
            let before = try folder.contents()
            let outcome = try ServerProgram.run(["restore", "--data", folder.data, "--from", folder.backup])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try Self.isKept(before, in: folder), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: folder.log))
            #expect(try folder.isKnown(owner))
        }
    }

    @Test(arguments: Leftover.allCases) func initBeginsWithoutDataAndLosesNothing(_ leftover: Leftover) async throws {
        try await offTasks {
            let folder = Folder()
            let owner = try folder.fill()
            try folder.apply(leftover)
            let before = try folder.contents()
            let outcome = try ServerProgram.run(["init", "--data", folder.data])
            if leftover.isPartial {
                #expect(
                    outcome.status == 74 && outcome.errors.contains("move \"\(folder.database)\" away"), "\(outcome)")
                #expect(try folder.contents() == before)
                try FileManager.default.removeItem(atPath: folder.database)
                #expect(try ServerProgram.run(["init", "--data", folder.data]).status == 0)
            } else {
                #expect(outcome.status == 0, "\(outcome)")
                #expect(try Self.isKept(before, in: folder), "\(outcome)")
            }
            #expect(try !folder.isKnown(owner))
        }
    }

    /// Returns whether each file with bytes still exists under some name. A page without tables need not be kept.
    private static func isKept(_ before: [String: Data], in folder: Folder) throws -> Bool {
        let after = try folder.contents().values
        return before.values.filter { $0.count > 4096 || $0.count < 100 && !$0.isEmpty }.allSatisfy {
            after.contains($0)
        }
    }
}
