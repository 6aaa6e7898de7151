package import GRDB

/// The commits of connections other than the synchronising one. Two values are equal where those connections have committed
/// nothing in between.
///
/// Local changes always come from other connections, of this program and of others. Writes of synchronisation itself do not
/// count.
package struct ForeignCommits: Hashable, Sendable {
    /// SQLite's `data_version`, which has a meaning on one connection only.
    let version: Int64

    init(version: Int64) { self.version = version }

    /// Reads the state as a connection sees it.
    package init(_ database: Database) throws { self = try database.foreignCommits() }
}
