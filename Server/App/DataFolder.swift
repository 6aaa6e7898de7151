internal import Foundation
internal import RoostModel
internal import RoostService

/// The server's folder: its database, its admin token, and the lock that excludes a second server.
struct DataFolder {
    let path: String
    /// Whether this start created the folder's token.
    let isNew: Bool
    let adminToken: Token

    var databasePath: String { path + "/roost.sqlite" }
    var adminTokenPath: String { path + "/admin-token" }

    /// Opens the folder, and creates it and the token if they do not exist.
    ///
    /// - Parameter prepare: Called with the path of the database, and with a flag that the token does not exist yet. After
    ///   a crash, the flag shows how far a first start came.
    init(
        _ given: String, prepare: (_ database: String, _ isNew: Bool) throws(DataFolderError) -> Void = { _, _ in }
    ) throws(DataFolderError) {
        let url = URL(fileURLWithPath: given)
        path = url.path
        try Self.makePrivate(url)
        // The file stays open, and so locked, until the process ends.
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
        let (database, tokenPath) = (url.path + "/roost.sqlite", url.path + "/admin-token")
        try Self.checkDatabase(database)
        try prepare(database, !FileManager.default.fileExists(atPath: tokenPath))
        (adminToken, isNew) = try Self.token(at: tokenPath)
    }

    /// Creates a folder and its missing parents.
    private static func make(_ url: URL) throws(DataFolderError) {
        let parent = url.deletingLastPathComponent()
        var status = stat()
        if stat(parent.path, &status) != 0, errno == ENOENT { try make(parent) }
        guard mkdir(url.path, 0o700) == 0 || errno == EEXIST else {
            let reason = String(cString: strerror(errno))
            throw DataFolderError("Cannot make the folder \"\(url.path)\": \(reason). Choose another with --data.")
        }
    }

    /// Creates the folder for its owner alone, or checks an existing one. A folder whose mode is open, or that is a link,
    /// is refused.
    private static func makePrivate(_ url: URL) throws(DataFolderError) {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return try make(url) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            let what =
                status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link. Name what it leads to" : "no folder. Name one"
            throw DataFolderError("Cannot use \"\(url.path)\": it is \(what) with --data.")
        }
        try check(status, url.path, "chmod 700")
    }

    /// Checks that a file or folder is private.
    ///
    /// - Parameter cure: The command that makes it private.
    private static func check(_ status: stat, _ path: String, _ cure: String) throws(DataFolderError) {
        guard status.st_uid == geteuid() else {
            throw DataFolderError("Cannot use \"\(path)\": it belongs to another user. Choose another with --data.")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw DataFolderError(
                "Cannot use \"\(path)\": its mode is \(mode), so that others may read or change it. Run \(cure) on it if they have not."
            )
        }
    }

    /// Checks that the database's files are regular files: SQLite would follow a link to any target.
    private static func checkDatabase(_ path: String) throws(DataFolderError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw DataFolderError("Cannot use \"\(path + suffix)\": it is a link or no file. Move it away.")
            }
        }
    }

    /// Reads a secret from a file that is private to its owner; `nil` if there is no such file.
    private static func secret(at path: String) throws(DataFolderError) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw DataFolderError("Cannot read \"\(path)\": \(String(cString: strerror(errno))).")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw DataFolderError("Cannot read \"\(path)\": it is no file. Move it away.")
        }
        try check(status, path, "chmod 600")
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else {
            throw DataFolderError("Cannot read \"\(path)\": \(String(cString: strerror(errno))).")
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes a private file atomically. A crash leaves at most a part of it under another name, which the next start
    /// replaces. Call it under the folder's lock.
    private static func write(_ text: String, to path: String) throws(DataFolderError) {
        let part = path + ".new"
        func check(_ isDone: Bool) throws(DataFolderError) {
            if !isDone { throw DataFolderError("Cannot write \"\(path)\": \(String(cString: strerror(errno))).") }
        }
        try check(unlink(part) == 0 || errno == ENOENT)
        let file = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try check(file >= 0)
        defer { close(file) }
        let bytes = Array((text + "\n").utf8)
        try check(Foundation.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0)
        do { try FolderEntry.rename(part, to: path) } catch {
            throw DataFolderError("Cannot write \(error.reason).")
        }
    }

    /// Reads the 32 bytes from which tokens are derived, or creates them at the first start. They are not in the database,
    /// so that neither it nor a backup reveals tokens. If the file is lost, a request that is repeated with its nonce
    /// counts once as a new request.
    func tokenSecret() throws(DataFolderError) -> [UInt8] {
        let path = path + "/token-secret"
        // An earlier version that was killed while it created the file left it empty.
        if let text = try Self.secret(at: path), !text.isEmpty {
            guard let bytes = Hex.decode(text.utf8), bytes.count == 32 else {
                throw DataFolderError("Cannot read \"\(path)\": it holds no secret. Delete it to get a new one.")
            }
            return bytes
        }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Self.write(Hex.encode(bytes), to: path)
        return bytes
    }

    private static func token(at path: String) throws(DataFolderError) -> (Token, isNew: Bool) {
        if let text = try secret(at: path) {
            guard let token = Token(text), token.kind == .admin else {
                throw DataFolderError("Cannot read \"\(path)\": it holds no admin token. Delete it to get a new one.")
            }
            return (token, false)
        }
        var generator = SystemRandomNumberGenerator()
        let token = Token(.admin) { _ in (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        try write(token.text, to: path)
        return (token, true)
    }
}

/// The reason why the server's folder cannot be used.
struct DataFolderError: Error, CustomStringConvertible {
    let description: String
    /// The exit status of a command that fails with this error.
    let status: Failure.Status

    init(_ description: String, _ status: Failure.Status = .ioError) {
        self.description = description
        self.status = status
    }
}
