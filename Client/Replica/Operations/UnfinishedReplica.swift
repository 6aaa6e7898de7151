internal import Foundation
internal import RoostModel

/// A replica file that is being created from an invite. The file `FILE-joining`, readable only by its owner, stores the
/// request until the replica belongs to its scope, and is then removed.
///
/// For some minutes the server repeats its reply to a repeated nonce. Repeating the call after a crash therefore continues
/// the request, and needs no other invite.
package struct UnfinishedReplica {
    private let path: String
    /// The nonce to send with the request.
    package let nonce: String

    private static let suffix = "-joining"
    /// Suffixes of the files that an interrupted creation may leave, in order of removal. A WAL without its file would be
    /// taken for that of a file that was moved.
    private static let parts = ["-wal", "-shm", "-journal", "-sync", "-token", ""]

    /// Starts creating a file, or continues after a crash.
    ///
    /// - Parameters:
    ///   - path: The location of the file.
    ///   - request: The content of the request; only a hash of it is stored.
    ///   - fresh: A random nonce, used if none is stored for this request.
    /// - Throws: ``ReplicaError`` with the code `exists` if another file exists at the path, and `notFound` if none can be
    ///   created there; nothing is changed then.
    package init(
        beginning path: String, for request: String, fresh: String, _ action: String
    ) throws(ReplicaError) {
        self.path = path
        let (key, note, stored) = (Self.key(of: request), path + Self.suffix, Self.stored(path))
        if FileManager.default.fileExists(atPath: path) {
            guard stored != nil, Self.isUnfinished(path) else {
                throw ReplicaError(
                    .exists,
                    "Cannot \(action): there is a file already at \"\(path)\". Choose another name, or move it away.")
            }
        } else {
            try ReplicaFile.checkNoLog(at: path)
        }
        nonce = stored.flatMap { $0.count == 2 && $0[0] == key ? $0[1] : nil } ?? fresh
        guard PrivateFile.replace(note, with: "\(key) \(nonce)") == nil else {
            throw ReplicaError(
                .notFound, "Cannot \(action): \"\(path)\" cannot be made. Its folder is missing or not writable.")
        }
        for part in Self.parts { unlink(path + part) }
    }

    /// Removes the stored request, because the file is complete or will not be created.
    package func end() { unlink(path + Self.suffix) }

    /// Returns whether joining was interrupted before the file was complete. Joining again with the same request creates it
    /// from the beginning.
    package static func isLeft(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + suffix) && isUnfinished(path)
    }

    /// Removes the stored request of a complete file, if joining was interrupted just before that.
    ///
    /// - Parameter path: The path of a replica that belongs to a scope.
    /// - Returns: Whether the replica joined its scope by this request; then nothing is left to do.
    package static func end(at path: String, by request: String) -> Bool {
        guard stored(path)?.first == key(of: request) else { return false }
        unlink(path + suffix)
        return true
    }

    private static func key(of request: String) -> String {
        String(ContentHash(of: Array(request.utf8)).value, radix: 16)
    }

    /// Returns the stored request of an unfinished file: its key and its nonce.
    private static func stored(_ path: String) -> [String]? {
        guard FileNumber.isFile(path + suffix) == true else { return nil }
        return (try? String(contentsOfFile: path + suffix, encoding: .utf8))?.parts(at: " ")
    }

    /// Throws if joining was interrupted before the file, which belongs to no scope, was complete.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica`.
    static func check(_ path: String) throws(ReplicaError) {
        guard FileManager.default.fileExists(atPath: path + suffix) else { return }
        throw ReplicaError(
            .notAReplica,
            "Cannot open the replica \"\(path)\": joining was interrupted before the file was complete. Join again with the same link and "
                + "this file name; if the link is used up, ask for another one.")
    }

    /// Returns whether a file holds no records and belongs to no scope.
    private static func isUnfinished(_ path: String) -> Bool {
        do {
            let replica = try Replica(opening: path, durability: .full, wallClock: { 0 })
            defer { try? replica.close() }
            return try replica.membership() == nil && !replica.hasContent()
        } catch let error as ReplicaError where error.code == .notAReplica {
            return Replica.isBlankFile(at: path)
        } catch {
            return false
        }
    }
}

extension Replica {
    /// Returns whether any records were ever written to the file.
    func hasContent() throws -> Bool {
        try engineLook("look for records") { database in
            try ["roost_outbox", "roost_mark", "roost_fact"].contains { try !database.isEmpty($0) }
        }
    }
}
