internal import Foundation
internal import RoostModel

/// A replica file that is being made from an invite: what has to outlive a crash until it is complete, in `FILE-joining`, for its owner
/// alone. It goes once the file belongs to its scope.
///
/// The server gives the same answer to the same nonce for some minutes: the same call made again takes up where a crash left it, and
/// needs no other invite.
package struct UnfinishedReplica {
    private let path: String
    /// To be sent with the request.
    package let nonce: String

    private static let suffix = "-joining"
    /// Endings of the files that a crash may leave of one that is being made, in the order in which they are removed: a log without its file
    /// is taken for that of a file which was moved.
    private static let parts = ["-wal", "-shm", "-journal", "-sync", "-token", ""]

    /// Begins to make a file, or goes on with one that a crash has left.
    ///
    /// - Parameters:
    ///   - path: Where the file goes.
    ///   - request: What is asked for; only a hash of it is stored.
    ///   - fresh: The nonce to use where none is stored for this request: random.
    /// - Throws: ``ReplicaError`` with the code `exists` for a file that is none of this kind, and `notFound` where none can be made;
    ///   nothing is changed then.
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

    /// The file is complete, or will not be made.
    package func end() { unlink(path + Self.suffix) }

    /// Whether joining was interrupted before the file was complete: the same join again makes it from the beginning.
    package static func isLeft(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + suffix) && isUnfinished(path)
    }

    /// Ends a request whose file is complete, but that was interrupted before it could say so.
    ///
    /// - Parameter path: Of a replica that belongs to a scope.
    /// - Returns: Whether it belongs there by this request; nothing is left to be done then.
    package static func end(at path: String, by request: String) -> Bool {
        guard stored(path)?.first == key(of: request) else { return false }
        unlink(path + suffix)
        return true
    }

    private static func key(of request: String) -> String {
        String(ContentHash(of: Array(request.utf8)).value, radix: 16)
    }

    /// The request of a file that is being made, by its key, and the nonce.
    private static func stored(_ path: String) -> [String]? {
        guard FileNumber.isFile(path + suffix) == true else { return nil }
        return (try? String(contentsOfFile: path + suffix, encoding: .utf8))?.parts(at: " ")
    }

    /// Says of a file that no scope has if that is because joining was interrupted.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica`.
    static func check(_ path: String) throws(ReplicaError) {
        guard FileManager.default.fileExists(atPath: path + suffix) else { return }
        throw ReplicaError(
            .notAReplica,
            "Cannot open the replica \"\(path)\": joining was interrupted before the file was complete. Join again with the same link and "
                + "this file name; if the link is used up, ask for another one.")
    }

    /// Whether a file holds nothing that anybody has written, and belongs to no scope.
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
    /// Whether anything was ever written to the file's records.
    func hasContent() throws -> Bool {
        try engineLook("look for records") { database in
            try ["roost_outbox", "roost_mark", "roost_fact"].contains { try !database.isEmpty($0) }
        }
    }
}
