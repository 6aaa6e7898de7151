internal import Foundation
internal import TestProcesses

/// Tests that a server with too many connections, and with readers that do not read, serves others meanwhile.
struct ConnectionFlood {
    /// The number of connections: the server's default limit; fewer in the short form, for its run time.
    private let connectionsMax: Int
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        connectionsMax = size == .full ? 4096 : 512
        self.recorder = recorder
    }

    func run() throws {
        guard Self.raiseOwnLimit(to: connectionsMax + 512) else {
            recorder.omit("\(connectionsMax) connections: this process may not have so many open files")
            return
        }
        let torture = try TortureStage(recorder, replicas: 2)
        torture.stage.server?.kill()
        try torture.stage.startServer(environment: [
            "ROOST_CONNECTIONS_PER_ADDRESS_MAX": "100000", "ROOST_CONNECTIONS_MAX": "\(connectionsMax)",
        ])
        let port = Int(torture.stage.address.split(separator: ":").last ?? "") ?? 0
        try flood(torture, port)
        try slowReaders(torture, port)
    }

    /// H22: with 4,096 idle connections, the next one is refused, the idle ones are closed in time, and then all continues.
    private func flood(_ torture: TortureStage, _ port: Int) throws {
        let start = Date()
        var sockets: [Socket] = []
        while sockets.count < connectionsMax, let socket = Socket.connected(to: port, receiveSeconds: 20) {
            sockets.append(socket)
        }
        recorder.floor("idle connections", reached: sockets.count, least: connectionsMax)
        // The server's threads take connections from the system's queue. The last connection may be taken before another one,
        // which is refused then. A served connection stays open.
        var served: [Socket] = []
        let isRefused = try eventually(within: 4) {
            guard let next = Socket.connected(to: port, receiveSeconds: 3) else { return true }
            next.send(Array("GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
            if next.receive().isEmpty { return next.wasEnded }
            served.append(next)
            return false
        }
        recorder.expect(
            served.count < connectionsMax / 16, "H22: \(served.count) connections more than allowed are served")
        // The server closes a connection without a request after 10 s: on a busy machine the first may be closed by now.
        let isLate = Date().timeIntervalSince(start) > 10
        if isLate { recorder.omit("the refusal of one connection more: making \(connectionsMax) took too long here") }
        recorder.expect(isRefused || isLate, "H22: the connection after the last allowed one is not closed at once")
        recorder.fault("connections", count: sockets.count)
        let memory = Self.residentKilobytes(torture.stage.server?.identifier ?? 0)
        recorder.figure("server's memory with \(connectionsMax) connections", "\(memory / 1024) MiB")
        recorder.expect(memory < 300 * 1024, "I25: the server uses \(memory) KiB for \(connectionsMax) connections")
        // The server ends connections without a request. A read then returns nothing.
        let open = sockets.count { !Self.isEnded($0) }
        recorder.expect(open == 0, "H19: \(open) connections without a request are still open after 20 s")
        (sockets, served) = ([], [])
        try torture.sql(torture.replicas[0], TortureScope.pair("flood", 1))
        try torture.syncCleanly(torture.replicas[0], at: "after \(connectionsMax) connections")
    }

    /// H21: replies that are not read block no other client.
    private func slowReaders(_ torture: TortureStage, _ port: Int) throws {
        let many =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
            + "INSERT INTO parent(name) SELECT hex(randomblob(100)) FROM n;"
        try torture.sql(torture.replicas[0], many)
        try torture.syncCleanly(torture.replicas[0], at: "before the slow readers")
        let token =
            try String(contentsOfFile: torture.replicas[0] + "-token", encoding: .utf8)
            .split(whereSeparator: \.isWhitespace).last ?? ""
        let request = "GET /v1/pull HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n"
        let readers = (0..<20).compactMap { _ in Socket.connected(to: port, receiveSeconds: 10, receiveBytes: 4096) }
        for reader in readers { reader.send(Array(request.utf8)) }
        recorder.fault("slow readers", count: readers.count)
        for number in 1...5 {
            try torture.sql(torture.replicas[1], TortureScope.pair("slow", number))
            try torture.syncCleanly(torture.replicas[1], at: "beside 20 slow readers")
        }
    }

    private static func isEnded(_ socket: Socket) -> Bool {
        // Bytes before the end, such as a 408, are ignored.
        for _ in 0..<3 where socket.receive().isEmpty { return true }
        return false
    }

    private static func raiseOwnLimit(to count: Int) -> Bool {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur >= rlim_t(count) { return true }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_cur >= rlim_t(count)
    }

    private static func residentKilobytes(_ process: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
