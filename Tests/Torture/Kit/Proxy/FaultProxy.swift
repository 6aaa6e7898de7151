internal import Foundation
internal import RoostModel
internal import Synchronization

/// A proxy between clients and a server that reads complete HTTP messages and applies faults drawn from its seed.
///
/// The fault of the n-th exchange follows from the seed and n. The order of the exchanges depends on the processes.
final class FaultProxy: Sendable {
    private struct State {
        var exchanges: UInt64 = 0
        var counts: [String: Int] = [:]
        var later: [(due: UInt64, request: HTTPMessage)] = []
        var isHealed = false
        var cut: Cut?
        /// Whether the cut applies to every push, instead of only the next one.
        var isCutLasting = false
        var hasCut = false
    }

    /// A message that ends after a given byte.
    struct Cut: Sendable {
        enum Part: String, Sendable { case request, reply }

        var part: Part
        /// The number of bytes that get through.
        var bytes: Int
    }

    let port: Int
    private let seed: UInt64
    private let server: Int
    private let listener: Socket
    private let state = Mutex(State())
    /// The pushes that went through the proxy.
    let pushes = PushRepeats()

    /// Starts to listen.
    ///
    /// - Parameter server: The server's port.
    init(to server: Int, seed: UInt64) throws {
        (listener, port) = try Socket.listening()
        self.seed = seed
        self.server = server
    }

    func start() {
        Thread { [self] in
            while let client = listener.accepted() {
                Thread { [self] in serve(client) }.start()
            }
        }.start()
    }

    func stop() { listener.shut() }

    /// Ends all faults.
    func heal() { state.withLock { $0.isHealed = true } }

    /// Cuts the next push, or its reply, unless it is shorter.
    func cutNextPush(_ cut: Cut) { state.withLock { ($0.cut, $0.hasCut) = (cut, false) } }

    /// Cuts every push, or its reply, from now on.
    func cutPushes(_ cut: Cut) { state.withLock { ($0.cut, $0.isCutLasting, $0.hasCut) = (cut, true, false) } }

    /// Whether the last requested cut was made.
    var hasCut: Bool { state.withLock { $0.hasCut } }

    /// The number of times that each fault met each request.
    var counts: [String: Int] { state.withLock { $0.counts } }
    var exchanges: Int { state.withLock { Int($0.exchanges) } }

    private func serve(_ client: Socket) {
        var rest: [UInt8] = []
        while let request = HTTPMessage.read(from: client, rest: &rest) {
            var (fault, random) = next(request)
            if let fault { note(fault, request) }
            replayDue()
            if let cut = takeCut(request) {
                guard passCut(request, client, cut) else { return }
                continue
            }
            guard exchange(request, client, fault, &random) else { return }
        }
    }

    private func takeCut(_ request: HTTPMessage) -> Cut? {
        state.withLock { state in
            guard request.request == "POST /v1/push" else { return nil }
            defer { if !state.isCutLasting { state.cut = nil } }
            return state.cut
        }
    }

    /// - Returns: Whether the connection continues: the message was shorter than the cut.
    private func passCut(_ request: HTTPMessage, _ client: Socket, _ cut: Cut) -> Bool {
        if cut.part == .request, cut.bytes < request.bytes.count {
            state.withLock { $0.hasCut = true }
            Socket.connected(to: server)?.send(request.bytes.prefix(cut.bytes))
            return false
        }
        guard let reply = ask(request) else { return false }
        let isCut = cut.part == .reply && cut.bytes < reply.bytes.count
        if isCut { state.withLock { $0.hasCut = true } }
        return client.send(isCut ? reply.bytes.prefix(cut.bytes) : reply.bytes[...]) && !isCut
    }

    private func next(_ request: HTTPMessage) -> (ProxyFault?, SplitMix64) {
        let (number, isHealed) = state.withLock { state in
            state.exchanges += 1
            return (state.exchanges, state.isHealed)
        }
        var random = SplitMix64(state: seed &* 1_000_003 &+ number)
        let fault = ProxyFault.pick(&random)
        return (isHealed ? nil : fault, random)
    }

    private func note(_ fault: ProxyFault, _ request: HTTPMessage) {
        let kind = request.request.hasSuffix("push") ? "push" : request.request.hasSuffix("pull") ? "pull" : "other"
        state.withLock { $0.counts["\(kind): \(fault.rawValue)", default: 0] += 1 }
    }

    /// - Returns: Whether the connection continues.
    private func exchange(
        _ request: HTTPMessage, _ client: Socket, _ fault: ProxyFault?, _ random: inout SplitMix64
    ) -> Bool {
        switch fault {
        case .loseRequest: return false
        case .cutRequest:
            let bytes = request.bytes
            Socket.connected(to: server)?.send(bytes.prefix(Int.random(in: 1..<bytes.count, using: &random)))
            return false
        case .halfOpen:
            usleep(UInt32.random(in: 100...1500, using: &random) * 1000)
            client.reset()
            return false
        case .garbage:
            client.send(
                (0..<Int.random(in: 1...3000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            return false
        case .loginPage: return client.send(Self.page(200, "<html><body>Please log in.</body></html>"))
        case .badGateway: return client.send(Self.page(502, "<html>Bad gateway</html>"))
        case .duplicateAtOnce:
            Thread { [self] in _ = ask(request) }.start()
        case .duplicateLater:
            let wait = UInt64.random(in: 1...30, using: &random)
            state.withLock { $0.later.append(($0.exchanges + wait, request)) }
        default: break
        }
        guard let reply = ask(request) else { return false }
        return pass(reply, to: client, fault, &random)
    }

    private func pass(
        _ reply: HTTPMessage, to client: Socket, _ fault: ProxyFault?, _ random: inout SplitMix64
    ) -> Bool {
        let bytes = reply.bytes
        switch fault {
        case .loseReply: return false
        case .cutReply:
            client.send(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
            return false
        case .stall:
            usleep(UInt32.random(in: 50...1500, using: &random) * 1000)
            return client.send(bytes)
        case .drip:
            var sent = 0
            while sent < bytes.count {
                let count = Int.random(in: 1...max(7, bytes.count / 40), using: &random)
                guard client.send(bytes[sent..<min(sent + count, bytes.count)]) else { return false }
                sent += count
                usleep(500)
            }
            return true
        case .garbledBody:
            return client.send(reply.head + reply.body.map { _ in UInt8.random(in: 0...255, using: &random) })
        default: return client.send(bytes)
        }
    }

    /// Sends requests again that are due. No client waits for their replies.
    private func replayDue() {
        let due = state.withLock { state in
            let due = state.later.filter { $0.due <= state.exchanges }
            state.later.removeAll { $0.due <= state.exchanges }
            return due
        }
        for item in due { Thread { [self] in _ = ask(item.request) }.start() }
    }

    /// Sends a request to the server on its own connection.
    private func ask(_ request: HTTPMessage) -> HTTPMessage? {
        guard let socket = Socket.connected(to: server), socket.send(request.bytes) else { return nil }
        var rest: [UInt8] = []
        let reply = HTTPMessage.read(from: socket, rest: &rest)
        if let reply { pushes.note(request, reply) }
        return reply
    }

    private static func page(_ status: Int, _ text: String) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status) X\r\nContent-Type: text/html\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
    }
}
