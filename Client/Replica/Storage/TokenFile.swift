internal import CFile
internal import Foundation
internal import RoostModel

/// The device tokens of a replica, in a file of their own next to it: `FILE-token`, for its owner alone.
///
/// Any program may read a replica's file, and copies of it are handed around; the right to speak for the device is not in it. A line holds
/// an identity of the replica and a token of it, the newest last. A new token is here, and on the disk, before anything else refers to it:
/// the line that counts is that of the identity in the replica's file, so that a crash between the two files leaves the old identity with
/// its token, or the new one with its own. The lines of a ``TokenHistory`` follow.
struct TokenFile {
    struct Entry: Hashable {
        let replica: ReplicaID
        /// A secret.
        let token: String
    }

    let path: String

    /// The first lines, of which there are two at most, are in as many bytes: earlier versions read no more.
    private static let bytesOfEntriesMax = 4096
    private static let bytesMax = 1 << 20

    init(of replica: String) { path = replica + "-token" }

    /// The tokens, oldest first; none where the file is missing, cannot be read or is no file.
    func entries() -> [Entry] {
        lines(in: Self.bytesOfEntriesMax).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard words.count == 2, words[0].first != TokenHistory.Line.mark,
                let replica = ReplicaID(String(decoding: words[0], as: UTF8.self))
            else { return nil }
            return Entry(replica: replica, token: String(decoding: words[1], as: UTF8.self))
        }
    }

    /// The tokens that the replica has had; none where the file is missing or of an earlier version.
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
        // As a copy made with the usual mask has it.
        if status.st_mode & 0o077 != 0, status.st_uid == geteuid() { fchmod(descriptor, 0o600) }
        var bytes = [UInt8](repeating: 0, count: min(bytesMax, max(0, Int(status.st_size))))
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes[..<count].split(separator: UInt8(ascii: "\n"))
    }

    /// Replaces the file in one step, which is on the disk afterwards.
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
        // Some file systems have nothing to sync of a folder.
        guard fsync(folder) == 0 || errno == EINVAL else { throw failure() }
    }

    private func failure(_ reason: Int32 = errno) -> ReplicaError {
        ReplicaError(
            .diskFull,
            "Cannot write the token file \"\(path)\": \(String(cString: strerror(reason))). Check the folder and try again; "
                + "nothing was changed.")
    }
}

/// The tokens by which a replica may speak to its server.
struct Credentials: Hashable {
    /// The token to use: a secret; empty where there is none.
    let token: String
    /// The token of the same identity before, while the server has not shown that it knows ``token``.
    let earlier: String?
    /// Whether the token is one of another identity: the file was put back to an older state, or the pair does not belong together. A
    /// new identity is asked for with it.
    let isOfAnother: Bool

    init(_ entries: [TokenFile.Entry], for replica: ReplicaID) {
        let own = entries.filter { $0.replica == replica }
        token = own.last?.token ?? entries.last?.token ?? ""
        earlier = own.count > 1 ? own[own.count - 2].token : nil
        isOfAnother = own.isEmpty && !entries.isEmpty
    }
}
