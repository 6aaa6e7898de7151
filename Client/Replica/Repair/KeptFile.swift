internal import CSQLite
internal import Foundation
internal import GRDB

/// A copy of a corrupt file and its WAL, byte for byte.
///
/// The files are read through the connection that has them open: opening and closing them a second time would release the
/// locks of this process.
struct KeptFile {
    let path: String

    private static let bytesAtOnce = 1 << 20

    init(of original: String, at now: Date) {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMdd'T'HHmmss.SSS'Z'"
        path = "\(original)-damaged-\(formatter.string(from: now))"
    }

    /// Writes the copy.
    ///
    /// - Throws: `ReplicaError` if the disk refuses; no copy is left.
    func write(_ database: Database) throws {
        guard let handle = database.sqliteConnection, let file = csqlite_database_file(handle) else { return }
        do {
            try copy(file, to: path)
            if let log = csqlite_log_file(handle) { try copy(log, to: path + "-wal") }
        } catch {
            remove()
            throw ReplicaError(
                .diskFull,
                "Cannot keep the damaged file as \"\(path)\" (\(error)). Check the disk, make room, and try again; nothing was changed."
            )
        }
    }

    func remove() {
        for suffix in ["", "-wal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func copy(_ file: UnsafeMutablePointer<sqlite3_file>, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let output = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteUnknown) }
        defer { try? output.close() }
        let size = csqlite_file_size(file)
        var place: Int64 = 0
        var bytes = [UInt8](repeating: 0, count: Self.bytesAtOnce)
        while place < size {
            let count = Int(min(Int64(Self.bytesAtOnce), size - place))
            let isRead = bytes.withUnsafeMutableBytes { csqlite_file_read(file, $0.baseAddress, Int32(count), place) }
            guard isRead != 0 else { throw CocoaError(.fileReadUnknown) }
            try output.write(contentsOf: bytes[..<count])
            place += Int64(count)
        }
        try output.synchronize()
    }
}
