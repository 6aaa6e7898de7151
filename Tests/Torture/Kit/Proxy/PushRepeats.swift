internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostProtocol
internal import Synchronization
internal import TestPlainSQL

/// The pushes that a server has answered with 200, kept to be resent (I6).
final class PushRepeats: Sendable {
    private struct Push {
        var request: HTTPMessage
        /// Whether its sender has pushed nothing after it.
        var isLast = true
        /// The replies, without the page: several if a repetition was answered differently.
        var replies: Set<[UInt8]> = []
        var copies = 0
    }

    private struct State {
        var pushes: [[UInt8]: Push] = [:]
        /// The last push of each sender, by token.
        var last: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())

    /// Records a push and its reply, if the push was stored.
    func note(_ request: HTTPMessage, _ reply: HTTPMessage) {
        guard request.request == "POST /v1/push", reply.status == 200, let token = request.field("authorization") else {
            return
        }
        let key = Array(token.utf8) + request.body
        // A compressed reply is not decoded.
        let isPlain = reply.field("content-encoding") == nil
        let text = isPlain ? (try? PushReply(protobuf: reply.body)).map(Self.withoutPage) : nil
        state.withLock { state in
            if state.pushes[key] == nil {
                if let last = state.last[token] { state.pushes[last]?.isLast = false }
                state.last[token] = key
            }
            state.pushes[key, default: Push(request: request)].copies += 1
            if let text { state.pushes[key]?.replies.insert(text) }
        }
    }

    private static func withoutPage(_ reply: PushReply) -> [UInt8] {
        var reply = reply
        reply.page = nil
        return reply.protobuf()
    }

    /// Resends every push, some more than once, in an order drawn from `random`. The last push of each sender gets its reply
    /// again, every other one is refused, and nothing is stored.
    func sendAgain(to port: Int, storedIn file: String, _ random: SplitMix64, _ recorder: Recorder) throws {
        var random = random
        let pushes = state.withLock { Array($0.pushes.values) }
        let several = pushes.filter { $0.replies.count > 1 }
        recorder.expect(several.isEmpty, "I6: \(several.count) pushes got another reply when they came again")
        let before = ServerAudit.run(file)
        let replies = try storedReplies(file)
        var sent = 0
        for push in pushes.flatMap({ Array(repeating: $0, count: Int.random(in: 1...3, using: &random)) })
            .shuffled(using: &random)
        {
            let reply = try ask(push.request.plain, port)
            sent += 1
            let holds =
                push.isLast
                ? reply.status == 200 && replies.contains(reply.body)
                    && (push.replies.isEmpty || push.replies.contains(reply.body))
                : reply.status == 409 && String(decoding: reply.body, as: UTF8.self).contains("replica_forked")
            recorder.expect(
                holds, "I6: \(push.isLast ? "the last push" : "an old push") that is sent again gets \(reply.status)")
        }
        let after = ServerAudit.run(file)
        recorder.expect(
            before.digest == after.digest && before.sequence == after.sequence,
            "I6: \(sent) pushes that were sent again brought the sequence from \(before.sequence) to \(after.sequence)")
        recorder.figure("different pushes", "\(pushes.count)")
        recorder.figure(
            "of them answered more than once meanwhile", "\(pushes.reduce(0) { $0 + ($1.copies > 1 ? 1 : 0) })")
        recorder.floor("pushes sent again at the end", reached: sent, least: pushes.count)
    }

    private func storedReplies(_ file: String) throws -> Set<[UInt8]> {
        let queue = try DatabaseQueue(path: file, configuration: .waiting)
        defer { try? queue.close() }
        return Set(try queue.read { try Data.fetchAll($0, sql: "SELECT reply FROM progress") }.map { Array($0) })
    }

    private func ask(_ request: HTTPMessage, _ port: Int) throws -> HTTPMessage {
        var rest: [UInt8] = []
        guard let socket = Socket.connected(to: port), socket.send(request.bytes),
            let reply = HTTPMessage.read(from: socket, rest: &rest)
        else { throw SocketError(text: "the server does not answer a push that is sent again") }
        return reply
    }
}
