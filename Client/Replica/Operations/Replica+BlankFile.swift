internal import GRDB

extension Replica {
    /// Whether a file is an SQLite file without tables, or no bytes at all: what is left where making a replica was interrupted.
    package static func isBlankFile(at path: String) -> Bool {
        guard FileNumber.isFile(path) == true else { return false }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { database in
                if case .empty = try OtherFile(database) { true } else { false }
            }
        } catch { return false }
    }
}
