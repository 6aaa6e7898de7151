internal import CFile
internal import Foundation
internal import RoostModel

/// The file of a replica's device tokens, stored next to it as `FILE-token` and readable by its owner only.
///
/// Any program may read a replica's file, and copies of it are passed around. So the right to act for the device is not stored in
/// it. A line contains an identity of the replica and a token of that identity, the newest last.
///
/// A new token is written to this file, and synced to the disk, before anything else refers to it. The valid line is that of the
/// identity in the replica's file. A crash between the two files therefore leaves the old identity with its token, or the new one
/// with its own. The lines of a ``TokenHistory`` follow.
struct TokenFile {
    struct Entry: Hashable {
        let replica: ReplicaID
        /// A secret.
        let token: String
    }

    let path: String

    /// The number of bytes that contain the first lines, of which there are two at most. Earlier versions read no more.
    private static let bytesOfEntriesMax = 4096
    private static let bytesMax = 1 << 20

    init(of replica: String) { path = replica + "-token" }

    /// Reads the tokens, oldest first. There are none where the file is missing, cannot be read or is not a regular file.
    func entries() -> [Entry] {
        lines(in: Self.bytesOfEntriesMax).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard words.count == 2, words[0].first != TokenHistory.Line.mark,
                let replica = ReplicaID(String(decoding: words[0], as: UTF8.self))
            else { return nil }
            return Entry(replica: replica, token: String(decoding: words[1], as: UTF8.self))
        }
    }

    /// Reads the tokens that the replica has had. There are none where the file is missing or of an earlier version.
    func history() -> TokenHistory {
        TokenHistory(
            lines(in: Self.bytesMax).compactMap { line in
                line.first == TokenHistory.Line.mark ? TokenHistory.Line(String(decoding: line, as: UTF8.self)) : nil
            })
    }

    private func lines(in bytesMax: Int) -> [ArraySlice<UInt8>] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        // Other users may read a copy made with the usual umask.
        if status.st_mode & 0o077 != 0, status.st_uid == geteuid() { fchmod(descriptor, 0o600) }
        var bytes = [UInt8](repeating: 0, count: min(bytesMax, max(0, Int(status.st_size))))
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes[..<count].split(separator: UInt8(ascii: "\n"))
    }

    /// Replaces the file atomically and syncs it to the disk.
    ///
    /// - Throws: ``ReplicaError`` with the code `diskFull`; the file is as it was.
    func write(_ entries: [Entry], _ history: TokenHistory = TokenHistory()) throws(ReplicaError) {
        let lines = entries.map { "\($0.replica) \($0.token)\n" } + history.lines.map { "\($0.text)\n" }
        let text = lines.joined()
        if let reason = PrivateFile.replace(path, with: text) { throw failure(reason) }
        try flushFolder()
    }

    private func flushFolder() throws(ReplicaError) {
        let name = (path as NSString).deletingLastPathComponent
        let folder = open(name.isEmpty ? "." : name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure() }
        defer { close(folder) }
        // Some file systems cannot sync a folder.
        guard fsync(folder) == 0 || errno == EINVAL else { throw failure() }
    }

    private func failure(_ reason: Int32 = errno) -> ReplicaError {
        ReplicaError(
            .diskFull,
            "Cannot write the token file \"\(path)\": \(String(cString: strerror(reason))). Check the folder and try again; "
                + "nothing was changed.")
    }
}

/// The tokens with which a replica authenticates to its server.
struct Credentials: Hashable {
    /// The token to use, a secret; empty where there is none.
    let token: String
    /// The previous token of the identity, used while the server has not shown that it knows ``token``.
    let earlier: String?
    /// Whether the token belongs to another identity. Either the file was restored to an older state, or the two files do not
    /// belong together. The session requests a new identity with the token.
    let isOfAnother: Bool

    init(_ entries: [TokenFile.Entry], for replica: ReplicaID) {
        let own = entries.filter { $0.replica == replica }
        token = own.last?.token ?? entries.last?.token ?? ""
        earlier = own.count > 1 ? own[own.count - 2].token : nil
        isOfAnother = own.isEmpty && !entries.isEmpty
    }
}
