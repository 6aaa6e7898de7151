import Foundation
import GRDB

/// The kind of corruption in a page of a table.
enum TableDamage: String, CaseIterable {
    /// A leaf is all zeros, and entirely unreadable.
    case zeroedLeaf
    /// The end of a leaf is zeros: its rows are readable, and have no content.
    case zeroedCells
    /// A leaf has too low a number of cells.
    case shortLeaf

    /// Corrupts the second leaf of a table WITHOUT ROWID that has several.
    ///
    /// - Parameter path: A file that no connection has open and that has no WAL.
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

/// The location of a page of a table or an index in a file that no connection has open and that has no WAL.
struct TablePage {
    let bytes: Range<Int>

    /// - Parameter child: The index of a cell of the root page, whose child is located; `nil` for the root page itself.
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
            // The cell offsets follow the 12 bytes of an interior page's header. A cell starts with its child page.
            let place = page + 12 + 2 * child
            let cell = page + Int(bytes[place]) << 8 + Int(bytes[place + 1])
            page = (bytes[cell..<(cell + 4)].reduce(0) { $0 << 8 | Int($1) } - 1) * size
        }
        bytes = page..<(page + size)
    }
}
