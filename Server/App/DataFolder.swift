internal import Foundation
internal import RoostService

/// The server's folder: its database, its admin token, and the lock that keeps a second server out.
struct DataFolder {
    let path: String
    /// Whether this start made it.
    let isNew: Bool
    let adminToken: Token

    var databasePath: String { path + "/roost.sqlite" }
    var adminTokenPath: String { path + "/admin-token" }

    /// Opens the folder, and makes it and the token if they are not there.
    ///
    /// - Parameter prepare: Called with the path of the database, and with whether the token is to be made, which shows after a crash how
    ///   far a first start came.
    init(
        _ given: String, prepare: (_ database: String, _ isNew: Bool) throws(DataFolderError) -> Void = { _, _ in }
    ) throws(DataFolderError) {
        let url = URL(fileURLWithPath: given)
        path = url.path
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DataFolderError(
                "Cannot make the folder \"\(url.path)\": \(error.localizedDescription) Choose another with --data.")
        }
        guard chmod(url.path, 0o700) == 0 else {
            throw DataFolderError(
                "Cannot make \"\(url.path)\" private: \(String(cString: strerror(errno))). Choose another with --data.")
        }
        // Held open, and so locked, until the process ends.
        let lock = open(url.path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw DataFolderError(
                "Cannot write to the folder \"\(url.path)\": \(String(cString: strerror(errno))). Choose another with --data."
            )
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw DataFolderError("Cannot use the folder \"\(url.path)\": another roost-server does. Stop it first.")
        }
        let tokenPath = url.path + "/admin-token"
        try prepare(url.path + "/roost.sqlite", !FileManager.default.fileExists(atPath: tokenPath))
        (adminToken, isNew) = try Self.token(at: tokenPath)
    }

    private static func token(at path: String) throws(DataFolderError) -> (Token, isNew: Bool) {
        if let data = FileManager.default.contents(atPath: path) {
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let token = Token(text), token.kind == .admin else {
                throw DataFolderError("Cannot read \"\(path)\": it holds no admin token. Delete it to get a new one.")
            }
            return (token, false)
        }
        var generator = SystemRandomNumberGenerator()
        let token = Token(.admin) { _ in (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw DataFolderError("Cannot write \"\(path)\": \(String(cString: strerror(errno))).")
        }
        defer { close(file) }
        let bytes = Array((token.text + "\n").utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw DataFolderError("Cannot write \"\(path)\": \(String(cString: strerror(errno))).")
        }
        return (token, true)
    }
}

/// Why the server's folder cannot be used.
struct DataFolderError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
