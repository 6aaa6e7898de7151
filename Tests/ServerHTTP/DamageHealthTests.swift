import Foundation
import RoostModel
import RoostProtocol
import RoostService
import SQLiteStore
import Testing

/// Corrupt files of a server, and the result of `GET /v1/health` for each.
@Suite struct DamageHealthTests {
    enum Damage: CaseIterable, Sendable {
        case overwrittenPage, zeroedPage, swappedPages, repeatedPage, flippedBytes, cutPages, cutWithinPage,
            overwrittenEnd
    }

    /// A generator whose numbers depend only on the seed.
    private struct Draws: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    /// Three seeds for each kind of corruption, 24 files in all.
    private static let seeds: [UInt64] = [1, 2, 3]
    private static let page = 4096

    private static func apply(_ damage: Damage, seed: UInt64, to path: String) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        var random = Draws(state: seed &* 0x9E37_79B9_7F4A_7C15)
        let count = bytes.count / page
        // The first page has the file's header, whose corruption is found at once.
        func place() -> Range<Int> {
            let start = Int.random(in: 1..<count, using: &random) * page
            return start..<start + page
        }
        switch damage {
        case .overwrittenPage:
            bytes.replaceSubrange(place(), with: (0..<page).map { _ in UInt8.random(in: 0...255, using: &random) })
        case .zeroedPage: bytes.replaceSubrange(place(), with: [UInt8](repeating: 0, count: page))
        case .swappedPages:
            let (one, other) = (place(), place())
            let kept = Array(bytes[one])
            bytes.replaceSubrange(one, with: Array(bytes[other]))
            bytes.replaceSubrange(other, with: kept)
        case .repeatedPage:
            let from = Array(bytes[place()])
            bytes.replaceSubrange(place(), with: from)
        case .flippedBytes:
            for _ in 0..<8 { bytes[Int.random(in: page..<bytes.count, using: &random)] ^= 0x40 }
        case .cutPages: bytes.removeLast(Int.random(in: 1..<count, using: &random) * page)
        case .cutWithinPage: bytes.removeLast(Int.random(in: 1..<page, using: &random))
        case .overwrittenEnd:
            let end = Int.random(in: 100..<page, using: &random)
            bytes.replaceSubrange(bytes.count - end..<bytes.count, with: [UInt8](repeating: 0xA5, count: end))
        }
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Makes a folder with a scope of some hundred records.
    private static func makeFolder() throws -> String {
        let data = ServerProgram.newFolder()
        let program = try ServerProgram(data: data)
        let owner = try program.makeScope(data: data)
        let milliseconds = UInt64(Date().timeIntervalSince1970 * 1000)
        let changes = (1...400).map { (number: UInt64) in
            let text = String(repeating: "note \(number) ", count: 12)
            let note = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(text))]))
            return Change(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: number)),
                stamp: HybridTimestamp(time: milliseconds << 16 | number, replica: owner.replica),
                kind: .put(note.encoded(), base: nil))
        }
        let body = PushRequest(number: 1, checkpoint: nil, transactions: [.init(changes: changes)])
        let connection = try RawConnection(port: program.port, seconds: 30)
        connection.send(
            TestServer.request(
                "POST", "/v1/push", token: owner.token, fields: ["Content-Type: application/x-protobuf"],
                body: body.protobuf()))
        #expect(connection.receive()?.status == 200)
        #expect(program.stop().status == 0)
        return data
    }

    /// Returns whether the check of all pages and indexes, which the server runs at its start, finds the corruption.
    private static func isFound(_ path: String) -> Bool {
        do {
            try SQLiteBackup.check(path)
            return false
        } catch {
            return true
        }
    }

    /// - Returns: The status in the health reply; `nil` for a server that refuses to start.
    private static func health(_ data: String, until isDone: (String?) -> Bool) throws -> String? {
        let program: ServerProgram
        do {
            program = try ServerProgram(data: data)
        } catch is ServerProgram.StartError {
            return nil
        }
        defer { _ = program.stop() }
        var status: String?
        // The check runs concurrently with the server's start.
        for _ in 0..<600 {
            status = try program.call("GET", "/v1/health", token: nil)?.json["status"]?.stringValue
            if isDone(status) { break }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return status
    }

    @Test func damageOfManyKindsAndPlacesIsNoticed() async throws {
        try await offTasks {
            let whole = try Self.makeFolder()
            // An unchanged copy is served, and stays intact.
            #expect(try Self.health(whole) { _ in true } == "ok")
            var unnoticed: [String] = []
            for damage in Damage.allCases {
                for seed in Self.seeds {
                    let data = ServerProgram.newFolder()
                    try FileManager.default.copyItem(atPath: whole, toPath: data)
                    try Self.apply(damage, seed: seed, to: data + "/roost.sqlite")
                    let isFound = Self.isFound(data + "/roost.sqlite")
                    let status = try Self.health(data) { !isFound || $0 == "damaged" }
                    if isFound { #expect(status == nil || status == "damaged", "\(damage) \(seed): \(status ?? "")") }
                    if status == "ok" { unnoticed.append("\(damage) \(seed)") }
                    try FileManager.default.removeItem(atPath: data)
                }
            }
            #expect(unnoticed.isEmpty, "\(unnoticed)")
        }
    }
}
