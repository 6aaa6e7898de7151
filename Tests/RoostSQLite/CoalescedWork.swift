import Foundation
import GRDB
import RoostModel
import RoostSQLite
import Simulation

/// The content of a table of numbered values.
typealias Content = [Int: [UInt8]]

/// A transaction of a random workload. It never rolls back to a savepoint: if pages are in the WAL before its end, SQLite 3.40
/// itself then leaves a transaction that a crash makes unreadable (decision 133).
struct Work {
    enum Step {
        case put(Int, [UInt8])
        case remove(Int)
        /// Reads a value that may already be in the WAL.
        case read(Int)
    }

    var steps: [Step]
    /// Whether the transaction commits; otherwise it is rolled back.
    var commits: Bool
    /// The mode of the checkpoint that follows, if any.
    var checkpoint: String?

    static func random(using random: inout SplitMix64) -> Work {
        let count = Int.random(in: 1...8, using: &random)
        return Work(
            steps: (0..<count).map { _ in step(using: &random) }, commits: Int.random(in: 0..<4, using: &random) > 0,
            checkpoint: Int.random(in: 0..<4, using: &random) > 0
                ? nil : ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &random))
    }

    private static func step(using random: inout SplitMix64) -> Step {
        let key = Int.random(in: 0..<12, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
            let count = Int.random(in: 0...12_000, using: &random)
            return .put(key, Array(repeating: UInt8.random(in: 1...255, using: &random), count: count))
        case 6: return .remove(key)
        default: return .read(key)
        }
    }

    /// Returns the content after the transaction, or `content` if it does not commit.
    func result(on content: Content) -> Content {
        guard commits else { return content }
        return steps.reduce(into: content) { content, step in
            switch step {
            case .put(let key, let value): content[key] = value
            case .remove(let key): content[key] = nil
            case .read: break
            }
        }
    }

    /// Runs the whole transaction and the checkpoint after it.
    func play(on database: Database) throws {
        try database.execute(sql: "BEGIN IMMEDIATE")
        try play(steps, on: database)
        try database.execute(sql: commits ? "COMMIT" : "ROLLBACK")
        if let checkpoint { _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(\(checkpoint))") }
    }

    /// Runs the steps alone.
    func playSteps(on database: Database) throws { try play(steps, on: database) }

    private func play(_ steps: [Step], on database: Database) throws {
        for step in steps {
            switch step {
            case .put(let key, let value):
                try database.execute(sql: "INSERT OR REPLACE INTO item VALUES (?, ?)", arguments: [key, Data(value)])
            case .remove(let key): try database.execute(sql: "DELETE FROM item WHERE key = ?", arguments: [key])
            case .read(let key):
                _ = try Int.fetchOne(database, sql: "SELECT length(value) FROM item WHERE key = ?", arguments: [key])
            }
        }
    }
}

/// A connection to a file of numbered values. Its cache is so small that a transaction writes pages before its end.
struct ItemFile {
    let queue: DatabaseQueue

    /// - Parameter isCoalesced: Whether to open the file through the VFS under test, or through the default one.
    init(_ path: String, isCoalesced: Bool = true, synchronous: String = "NORMAL") throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA cache_size = 8; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = \(synchronous)")
        }
        queue = try DatabaseQueue(
            path: isCoalesced ? CoalescingVFS.location(of: path) : path, configuration: configuration)
    }

    func makeTable() throws {
        try queue.writeWithoutTransaction {
            try $0.execute(
                sql: """
                    PRAGMA page_size = 1024; PRAGMA journal_mode = WAL;
                    CREATE TABLE item(key INTEGER PRIMARY KEY, value BLOB NOT NULL);
                    CREATE INDEX item_value ON item(length(value), key)
                    """)
        }
    }

    func play(_ work: Work) throws {
        try queue.writeWithoutTransaction { database in
            do {
                try work.play(on: database)
            } catch {
                if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
                throw error
            }
        }
    }

    /// Continues after each statement that fails, and commits the statements that succeeded.
    ///
    /// - Returns: The content after the transaction.
    func playOn(_ work: Work, _ content: Content) throws -> Content {
        try queue.writeWithoutTransaction { database in
            var result = content
            do {
                try database.execute(sql: "BEGIN IMMEDIATE")
                for step in work.steps {
                    let single = Work(steps: [step], commits: true)
                    do {
                        try single.playSteps(on: database)
                        result = single.result(on: result)
                    } catch {
                        // The failure may have ended the transaction.
                        guard database.isInsideTransaction else { return content }
                    }
                }
                try database.execute(sql: "COMMIT")
                return result
            } catch {
                if database.isInsideTransaction { try database.execute(sql: "ROLLBACK") }
                return content
            }
        }
    }

    /// Returns the content of the file, after an integrity check.
    func content() throws -> Content {
        try queue.unsafeRead { database in
            let check = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            guard check == ["ok"] else { throw DatabaseError(message: check.joined(separator: "; ")) }
            let rows = try Row.fetchAll(database, sql: "SELECT key, value FROM item")
            return Content(uniqueKeysWithValues: rows.map { ($0[0], Array($0[1] as Data)) })
        }
    }

    func close() throws { try queue.close() }
}
