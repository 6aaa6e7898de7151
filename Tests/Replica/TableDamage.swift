import Foundation
import GRDB

/// How a page of a table is damaged.
enum TableDamage: String, CaseIterable {
    /// A leaf is all zeros: it cannot be read at all.
    case zeroedLeaf
    /// The end of a leaf is zeros: its rows can be read, and hold nothing.
    case zeroedCells
    /// A leaf says that it holds less.
    case shortLeaf

    /// Damages the second leaf of a table without row numbers that has several.
    ///
    /// - Parameter path: A file that nobody has open and that has no log.
    func damage(_ table: String, of path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let (root, size) = try queue.read { database in
            (
                try Int.fetchOne(
                    database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [table]) ?? 0,
                try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            )
        }
        try queue.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The child of the root's second cell.
        let page = (root - 1) * size
        let cell = page + Int(bytes[page + 14]) << 8 + Int(bytes[page + 15])
        let child = bytes[cell..<(cell + 4)].reduce(0) { $0 << 8 | Int($1) }
        let leaf = (child - 1) * size
        switch self {
        case .zeroedLeaf: bytes.replaceSubrange(leaf..<(leaf + size), with: Data(count: size))
        case .zeroedCells: bytes.replaceSubrange((leaf + size - 500)..<(leaf + size), with: Data(count: 500))
        case .shortLeaf: bytes[leaf + 4] -= 1
        }
        try bytes.write(to: URL(filePath: path))
    }
}
