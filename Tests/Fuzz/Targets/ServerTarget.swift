import Foundation
import RoostModel
import RoostProtocol

/// The heads and bodies of requests, sent to the real `roost-server` over a socket.
final class ServerTarget: FuzzTarget {
    private(set) var samples = [
        "GET /v1/version HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "POST /v1/scopes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"name\":\"a b\"}",
        "POST /v1/join HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n",
    ].map { Array($0.utf8) }
    let words = [
        "GET", "POST", "OPTIONS", "/v1/", "%00", "%2e%2e/", "?wait=60", "Content-Length: ",
        "Transfer-Encoding: chunked", "Content-Encoding: gzip",
        "Content-Encoding: zstd", "Upgrade: h2c", "Forwarded: for=1", "X-Forwarded-For: ", "ffffffffffffffff\r\n",
        "HTTP/1.0", "HTTP/9.9", "\r\n\r\n",
    ].map { Array($0.utf8) }
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "roost-fuzz-server-\(UUID().uuidString)")
    private let port: UInt16

    init() throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = program.appending(path: "roost-server")
        // The server does not read a request that its rate limit refuses.
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "ROOST_REQUESTS_PER_SECOND": "0", "ROOST_UNAUTHENTICATED_PER_MINUTE": "0",
                "ROOST_CHANGES_PER_HOUR_MAX": "0",
            ]) { $1 }
        process.arguments = ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--log-level", "critical"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix { $0.isNumber }) }) else {
            throw FuzzFailure("the server does not say where it listens: \(line)")
        }
        self.port = port
        samples += try memberSamples()
    }

    /// Returns the requests of a registered device, one for each route.
    private func memberSamples() throws -> [[UInt8]] {
        let admin = try String(contentsOf: folder.appending(path: "admin-token"), encoding: .utf8)
        let making: [String: Any] = [
            "name": "trip", "device": "fuzz", "nonce": "fuzz-nonce", "schema": SchemaTarget.trip,
        ]
        let made = try exchange(
            Self.request(
                "POST", "/v1/scopes", admin.trimmingCharacters(in: .whitespacesAndNewlines),
                Array(JSONSerialization.data(withJSONObject: making))))
        let body = made.drop { $0 != UInt8(ascii: "{") }
        guard let registration = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let token = registration["token"] as? String, let text = registration["replica"] as? String,
            let replica = ReplicaID(text)
        else { throw FuzzFailure("the server makes no scope: \(String(decoding: made, as: UTF8.self))") }
        let stamp = HybridTimestamp(
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000), counter: 0, replica: replica)
        let key = RecordKey(entity: EntityID(2), id: RecordID(high: 3, low: 4))
        let push = PushRequest(
            number: 1, checkpoint: nil,
            transactions: [.init(changes: [Change(key: key, stamp: stamp, kind: .put(PutTarget.sample(), base: nil))])])
        let names = RecordJSON(try Schema(json: SchemaTarget.trip))
        let protobuf = ["Content-Type: application/x-protobuf", "Accept: application/x-protobuf"]
        func json(_ value: [String: Any]) throws -> [UInt8] {
            Array(try JSONSerialization.data(withJSONObject: value))
        }
        return [
            Self.request("POST", "/v1/push", token, push.protobuf(), protobuf),
            Self.request("POST", "/v1/push?since=", token, try push.json(names).encoded),
            Self.request("GET", "/v1/push?number=1", token), Self.request("GET", "/v1/pull?wait=0&limit=5", token),
            Self.request("GET", "/v1/pull", token, [], ["Accept: application/x-protobuf", "Accept-Encoding: zstd"]),
            Self.request("POST", "/v1/recover", token, [], protobuf), Self.request("GET", "/v1/digest", token),
            Self.request("GET", "/v1/me", token), Self.request("GET", "/v1/devices", token),
            Self.request("GET", "/v1/schema", token),
            Self.request("PUT", "/v1/schema", token, try json(["schema": SchemaTarget.trip])),
            Self.request("GET", "/v1/invites", token),
            Self.request("POST", "/v1/invites", token, try json(["role": "viewer", "uses": 1])),
            Self.request("POST", "/v1/replica/renew", token, try json(["reason": "fuzz", "nonce": "fuzz-nonce"])),
            Self.request(
                "POST", "/v1/token/known", token, try json(["hashes": [String(repeating: "0", count: 64)]])),
        ]
    }

    private static func request(
        _ method: String, _ path: String, _ token: String, _ body: [UInt8] = [], _ fields: [String] = []
    ) -> [UInt8] {
        let type = fields.isEmpty && !body.isEmpty ? ["Content-Type: application/json"] : []
        let lines =
            ["\(method) \(path) HTTP/1.1", "Host: a", "Authorization: Bearer \(token)"] + fields + type
            + (body.isEmpty ? [] : ["Content-Length: \(body.count)"])
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Plays an input. The processor time is the server's, not this thread's, so the call waits for the reply and measures
    /// the server.
    func play(_ input: [UInt8]) throws -> String {
        let began = serverSeconds()
        let reply = try exchange(input)
        guard process.isRunning else { throw FuzzFailure("the server has ended") }
        let took = serverSeconds() - began
        guard took <= 0.5 + Double(input.count) * 1e-4 else {
            throw FuzzFailure("\(input.count) bytes take \(Int(took * 1000)) ms of the server's processor time")
        }
        let line = String(decoding: reply.prefix { $0 != 13 }, as: UTF8.self)
        guard !line.utf8.starts(with: "HTTP/1.1 5".utf8) else { throw FuzzFailure("the server answers \(line)") }
        return line
    }

    private func exchange(_ input: [UInt8]) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw FuzzFailure("the server takes no connection any more: errno \(errno)") }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = send(descriptor, input, input.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                guard count == 0 || errno != EAGAIN else {
                    throw FuzzFailure("the server neither answers nor closes in 20 s")
                }
                return reply
            }
            reply += buffer.prefix(count)
            guard reply.count < 1_000_000 else { return reply }
        }
    }

    /// Returns the processor time of the server in seconds.
    private func serverSeconds() -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / 100
    }
}
