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
        let leaf = try TablePage(of: table, child: 1, in: path).bytes
        var bytes = try Data(contentsOf: URL(filePath: path))
        switch self {
        case .zeroedLeaf: bytes.replaceSubrange(leaf, with: Data(count: leaf.count))
        case .zeroedCells: bytes.replaceSubrange(leaf.suffix(500), with: Data(count: 500))
        case .shortLeaf: bytes[leaf.lowerBound + 4] -= 1
        }
        try bytes.write(to: URL(filePath: path))
    }
}

/// Where a page of a table or an index stands in a file that nobody has open and that has no log.
struct TablePage {
    let bytes: Range<Int>

    /// - Parameter child: The number of a cell of the first page; that page itself if left out.
    init(of name: String, child: Int? = nil, in path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let (root, size) = try queue.read { database in
            (
                try Int.fetchOne(
                    database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name]) ?? 0,
                try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            )
        }
        try queue.close()
        var page = (root - 1) * size
        if let child {
            let bytes = try Data(contentsOf: URL(filePath: path))
            // Places of cells follow the 12 bytes of an inner page's head; a cell begins with its page.
            let place = page + 12 + 2 * child
            let cell = page + Int(bytes[place]) << 8 + Int(bytes[place + 1])
            page = (bytes[cell..<(cell + 4)].reduce(0) { $0 << 8 | Int($1) } - 1) * size
        }
        bytes = page..<(page + size)
    }
}
