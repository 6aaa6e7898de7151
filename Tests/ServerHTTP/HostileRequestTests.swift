import Foundation
import RoostCompression
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Inputs of Docs/hostile-inputs.md that no other suite covers.
@Suite struct HostileRequestTests {
    /// Connections that are reset immediately release their slots.
    @Test func resetConnectionsGiveTheirPlacesBack() async throws {
        try await TestServer.run(limits: { $0.connectionsMax = 32 }) { server in
            try await offTasks { [port = server.port] in
                for index in 0..<2000 {
                    guard let connection = try? RawConnection(port: port, seconds: 1) else { continue }
                    if index.isMultiple(of: 2) { connection.send("POST /v1/push HTTP/1.1\r\nHost: a\r\n") }
                    connection.reset()
                }
            }
            // The last resets may still be in transit.
            var isServed = false
            for _ in 0..<1000 where !isServed {
                isServed = (try? await server.isHealthy()) ?? false
                if !isServed { try await Task.sleep(for: .milliseconds(20)) }
            }
            #expect(isServed)
        }
    }

    /// A record's identifier has 16 bytes, and in text the form of a UUID.
    @Test(arguments: [
        "{01890000-0000-7000-8000-00000000000a}",
        "0189000000007000800000000000000a", "01890000-0000-7000-8000-0000000000",
        "01890000-0000-7000-8000-00000000000a0",
        "0189000-00000-7000-8000-00000000000a", " 01890000-0000-7000-8000-00000000000a", "",
        "urn:uuid:01890000-0000-7000-8000-00000000000a",
    ])
    func anIdentifierHasOneForm(text: String) async throws {
        try await TestServer.run { server in
            let stamp = HybridTimestamp(
                milliseconds: server.service.now, counter: 1, replica: server.owner.replica)
            func push(_ record: String) async throws -> RawConnection.Reply? {
                let change = #"{"entity": "Note", "record": "\#(record)", "stamp": "\#(stamp)", "put": {}}"#
                return try await server.call(
                    "POST", "/v1/push", fields: ["Content-Type: application/json"],
                    body: Array(#"{"number": 1, "transactions": [{"changes": [\#(change)]}]}"#.utf8))
            }
            let refused = try await push(text)
            #expect(refused?.code == "bad_request", "\(refused?.json.text ?? "")")
            // Digits of either case denote one identifier.
            #expect(try await push("01890000-0000-7000-8000-00000000000A")?.status == 200)
            let page = try await server.call("GET", "/v1/pull", fields: ["Accept: application/json"])?.json
            let records = page?["records"]?.arrayValue?.map { $0["record"]?.stringValue }
            #expect(records == ["01890000-0000-7000-8000-00000000000a"])
        }
    }

    @Test(arguments: [0, 1, 15, 17, 4096]) func anIdentifierHasSixteenBytes(count: Int) async throws {
        try await TestServer.run { server in
            let good = server.push(1).protobuf()
            let id = RecordID(high: 1, low: 1).bytes
            let start = try #require(good.firstRange(of: id)).lowerBound
            // The change and its enclosing messages state their lengths, so a shortened or lengthened identifier makes the push
            // invalid.
            var cut = Array(good[..<start])
            cut[start - 1] = UInt8(truncatingIfNeeded: count)
            cut += [UInt8](repeating: 1, count: count) + good[(start + id.count)...]
            let reply = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: application/x-protobuf"], body: cut)
            #expect(reply?.status == 400)
            #expect(try server.service.store.read { try $0.scope(.init(1))?.head.sequence } == 0)
        }
    }

    #if os(Linux)
        /// A megabyte of zeros compresses to a kilobyte, and a gigabyte to a megabyte. The server does not hold a decompressed
        /// body.
        @Test func aBombTakesLittleMemory() throws {
            let data = ServerProgram.newFolder()
            defer { for path in [data, data + ".log"] { try? FileManager.default.removeItem(atPath: path) } }
            let server = try ServerProgram(data: data)
            defer { _ = server.stop() }
            let owner = try server.makeScope(data: data)
            let zeros = [UInt8](repeating: 0, count: 64 << 20)
            let bombs = [("gzip", try Compression.gzip(zeros)), ("zstd", try Compression.zstd(zeros))]
            let before = try server.highestKibibytes()
            for _ in 0..<20 {
                for (encoding, bomb) in bombs {
                    let connection = try RawConnection(port: server.port)
                    let fields = ["Content-Type: application/x-protobuf", "Content-Encoding: \(encoding)"]
                    connection.send(
                        TestServer.request("POST", "/v1/push", token: owner.token, fields: fields, body: bomb))
                    // A request with a large decompressed body counts as many requests, so later ones are refused for some time.
                    let status = connection.receive()?.status
                    #expect(status == 413 || status == 429, "\(status ?? 0)")
                }
            }
            let grown = try server.highestKibibytes() - before
            #expect(grown <= 20 << 10, "\(grown) KiB")
        }

        /// Where texts of clients were compared by Unicode's rules, one such request took a quarter of a second of processor
        /// time.
        @Test func textOfMarksTakesLittleTime() throws {
            let data = ServerProgram.newFolder()
            defer { for path in [data, data + ".log"] { try? FileManager.default.removeItem(atPath: path) } }
            let server = try ServerProgram(data: data)
            defer { _ = server.stop() }
            let owner = try server.makeScope(data: data)
            var scalars = "a".unicodeScalars
            for index in 0..<7000 { scalars.append(index.isMultiple(of: 2) ? "\u{301}" : "\u{316}") }
            let marks = String(scalars)
            let short = String(decoding: Array(marks.utf8.prefix(7001)), as: UTF8.self)
            let join = JSONValue.members(
                ("invite", .string(marks)), ("device", .string(marks)), ("nonce", .string("some-nonce")),
                (marks, .string(marks)))
            let json = ["Content-Type: application/json"]
            let requests = [
                TestServer.request("POST", "/v1/join", token: owner.token, fields: json, body: join.encoded),
                TestServer.request("GET", "/v1/\(short)", token: owner.token),
                TestServer.request("GET", "/v1/pull?\(short)=\(short.prefix(1))", token: owner.token),
                TestServer.request("GET", "/v1/me", token: owner.token, fields: ["Accept: \(marks)"]),
                TestServer.request("GET", "/v1/me", token: marks),
                TestServer.request(
                    "POST", "/v1/push", token: owner.token, fields: ["Content-Type: \(marks)"], body: [1]),
                TestServer.request(
                    "POST", "/v1/invites", token: owner.token, fields: json,
                    body: JSONValue.members(("role", .string(marks))).encoded),
            ]
            let before = try server.processorSeconds()
            for _ in 0..<20 {
                for request in requests {
                    let connection = try RawConnection(port: server.port)
                    connection.send(request)
                    let status = try #require(connection.receive()?.status)
                    #expect((200..<500).contains(status))
                }
            }
            let taken = try server.processorSeconds() - before
            #expect(taken < 7, "\(taken) s for \(20 * requests.count) requests")
        }

        /// Unknown tokens come one after the other from one address. Each answer is delayed, so all of them take little processor
        /// time.
        @Test func guessedTokensTakeLittleTime() throws {
            let data = ServerProgram.newFolder()
            defer { for path in [data, data + ".log"] { try? FileManager.default.removeItem(atPath: path) } }
            let server = try ServerProgram(data: data)
            defer { _ = server.stop() }
            let before = try server.processorSeconds()
            let start = ContinuousClock.now
            var statuses: Set<Int> = []
            for number in 0..<20 {
                let token = Token(.device) { _ in [UInt8](repeating: UInt8(number), count: 32) }.text
                statuses.insert(try #require(try server.call("GET", "/v1/me", token: token)?.status))
            }
            #expect(statuses == [401, 429])
            let elapsed = ContinuousClock.now - start
            let taken = try server.processorSeconds() - before
            let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
            #expect(taken < 0.1 * seconds, "\(taken) s of \(seconds) s")
        }
    #endif
}

#if os(Linux)
    extension ServerProgram {
        private func words(_ name: String) throws -> String {
            try String(contentsOfFile: "/proc/\(process.processIdentifier)/\(name)", encoding: .utf8)
        }

        /// Returns the peak memory of the process.
        func highestKibibytes() throws -> Int {
            let line = try words("status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
        }

        /// Returns the processor time of the process.
        func processorSeconds() throws -> Double {
            let fields = try words("stat").split(separator: ")").last?.split(separator: " ") ?? []
            let ticks = try fields.dropFirst(11).prefix(2).map { try #require(Double($0)) }
            return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }
#endif
