import BenchmarkData
import Foundation
import Replica
import RoostCompression
import RoostModel
import ShapedLink

/// The server of ``BareChange``: a thread that stores a body and returns it on request. This value is the connection to it.
struct BareServer {
    private enum Request: UInt8 {
        case push = 1
        case pull = 2
    }

    /// The approximate bytes that a session sends and reads besides bodies: the heads of a request and its reply.
    private static let head = [UInt8](repeating: 7, count: 300)

    private let socket: LinkSocket

    static func start(_ path: String, _ durability: Durability, _ work: Workload) throws -> BareServer {
        let (listener, port) = try LinkSocket.listening()
        Thread {
            do {
                guard let socket = listener.accepted() else { return }
                try serve(BareServer(socket: socket), BareStore(path, durability, work), work)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
        }.start()
        guard let socket = LinkSocket.connected(to: port) else {
            throw BenchmarkError("The bare server is not there.")
        }
        let server = BareServer(socket: socket)
        // After its first reply the server has stored the records.
        _ = try server.pull()
        return server
    }

    static func hash(_ records: [[UInt8]]) { for record in records { _ = ContentHash(of: record) } }

    // MARK: Its client

    /// - Returns: The seconds that SQLite took on the server.
    func push(_ body: [UInt8], _ round: Int) throws -> Double {
        let start = [Request.push.rawValue, UInt8(truncatingIfNeeded: round >> 8), UInt8(truncatingIfNeeded: round)]
        try send(start + Self.head + Compression.zstd(body))
        let reply = try received()
        return Double(reply.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }) / 1e9
    }

    /// - Returns: The body of the last push.
    func pull() throws -> [UInt8] {
        try send([Request.pull.rawValue] + Self.head)
        return try Self.decompressed(received().dropFirst(Self.head.count))
    }

    // MARK: Its thread

    private static func serve(_ connection: BareServer, _ store: BareStore, _ work: Workload) throws {
        var last: [UInt8] = []
        var sequence = 1
        // The loop ends when the client has closed the connection.
        while let message = try? connection.received(), let request = Request(rawValue: message[0]) {
            switch request {
            case .push:
                let edited = work.spendings.scattered(100, round: Int(message[1]) << 8 | Int(message[2]))
                last = try decompressed(message.dropFirst(3 + head.count))
                hash((0..<100).map { Array(last[($0 * last.count / 100)..<(($0 + 1) * last.count / 100)]) })
                sequence += 1
                let seconds = try Stopwatch.seconds { try store.take(edited, sequence: sequence) }
                var reply: [UInt8] = []
                reply.appendBigEndian(UInt64(seconds * 1e9))
                try connection.send(reply + head)
            case .pull: try connection.send(head + Compression.zstd(last))
            }
        }
    }

    // MARK: Messages

    private static func decompressed(_ body: ArraySlice<UInt8>) throws -> [UInt8] {
        try Compression.decompress(Array(body), encoding: .zstd, bytesMax: 1 << 20, ratioMax: 1000)
    }

    /// Sends a message, preceded by its number of bytes.
    private func send(_ bytes: [UInt8]) throws {
        var message: [UInt8] = []
        message.appendBigEndian(UInt32(bytes.count))
        guard socket.send(message + bytes) else { throw BenchmarkError("The bare server or its client is gone.") }
    }

    private func received() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var count: Int?
        while count.map({ bytes.count < $0 }) ?? true {
            let more = socket.receive(1 << 16)
            guard !more.isEmpty else { throw BenchmarkError("The bare server or its client is gone.") }
            bytes += more
            if count == nil, bytes.count >= 4 {
                count = Int(bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
                bytes.removeFirst(4)
            }
        }
        return bytes
    }
}
