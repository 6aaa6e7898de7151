internal import GRDB

extension Replica {
    /// Returns whether a file is an SQLite file without tables, or empty, as an interrupted creation of a replica leaves it.
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
