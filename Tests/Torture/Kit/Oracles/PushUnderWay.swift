internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostProtocol
internal import TestPlainSQL

/// A replica's sealed push without a reply, and the server's knowledge of it at that time.
struct PushUnderWay {
    struct Counts: Sendable {
        var pushes = 0
        /// The number of pushes that the server had already stored.
        var stored = 0

        static func + (left: Counts, right: Counts) -> Counts {
            Counts(pushes: left.pushes + right.pushes, stored: left.stored + right.stored)
        }
    }

    /// The server's reply, if it has already stored the push.
    let storedReply: Data?
    private let replica: ReplicaID
    private let number: Int64
    private let transactions: Int
    /// The scope's last sequence.
    private let sequence: Int64

    /// - Parameters:
    ///   - replica: The replica's file.
    ///   - server: The server's file, from that moment or later.
    /// - Returns: `nil` if no push waits for its reply.
    init?(replica: String, server: String) throws {
        let push = try Self.read(replica) { database -> (ReplicaID, Int64, Int)? in
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT number, body FROM roost_push WHERE staged = 0 ORDER BY number LIMIT 1"),
                let name = try String.fetchOne(database, sql: "SELECT replica FROM roost_control"),
                let replica = ReplicaID(name)
            else { return nil }
            let body = try PushRequest(protobuf: Array(row["body"] as Data))
            return (replica, row["number"], body.transactions.count)
        }
        guard let push else { return nil }
        (self.replica, number, transactions) = push
        let progress = try Self.progress(of: push.0, on: server)
        sequence = progress.sequence
        storedReply = progress.number == number ? progress.reply : nil
    }

    /// Returns the failures after nothing but the push was resent.
    ///
    /// A transaction takes one sequence each time that it is stored, whatever it changes (protocol.md §6.5).
    func failures(on server: String) throws -> [String] {
        let now = try Self.progress(of: replica, on: server)
        let expected = sequence + (storedReply == nil ? Int64(transactions) : 0)
        var failures: [String] = []
        if now.sequence != expected {
            failures.append(
                "I6: push \(number), \(storedReply == nil ? "not " : "")stored before, was sent again: the sequence went from "
                    + "\(sequence) to \(now.sequence), expected \(expected)")
        }
        if now.number != number {
            failures.append("I6: push \(number) was sent again, and the last push of its replica is \(now.number)")
        } else if let storedReply, storedReply != now.reply {
            failures.append("I6: push \(number) was sent again, and its stored reply is another one now")
        }
        return failures
    }

    private static func progress(
        of replica: ReplicaID, on server: String
    ) throws -> (sequence: Int64, number: Int64, reply: Data?) {
        try read(server) { database in
            let sequence = try Int64.fetchOne(database, sql: "SELECT sequence FROM scope") ?? 0
            let row = try Row.fetchOne(
                database, sql: "SELECT number, reply FROM progress WHERE replica = ?",
                arguments: [Int64(bitPattern: replica.rawValue)])
            return (sequence, row?["number"] ?? 0, row?["reply"])
        }
    }

    private static func read<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        let queue = try DatabaseQueue(path: path, configuration: .waiting)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}
