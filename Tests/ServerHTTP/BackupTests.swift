import Foundation
import RoostModel
import RoostProtocol
import SQLiteStore
import Synchronization
import Testing

/// The commands `roost-server backup` and `restore`, run on files.
@Suite struct BackupTests {
    /// A folder with a server's data, and the registration of its owner.
    private struct Site: Sendable {
        let data: String
        let owner: Registration

        static func make() throws -> (site: Site, program: ServerProgram) {
            let data = ServerProgram.newFolder()
            let program = try ServerProgram(data: data)
            return (Site(data: data, owner: try program.makeScope(data: data)), program)
        }

        var database: String { data + "/roost.sqlite" }

        /// Returns the names of the database file and the files next to it.
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasPrefix("roost.sqlite") }.sorted()
        }

        /// Pushes one new note, and returns whether the push was acknowledged.
        func push(_ number: UInt64, to port: Int) throws -> Bool {
            let note = Put(
                content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("n\(number)"))]))
            let milliseconds = UInt64(Date().timeIntervalSince1970 * 1000)
            let change = Change(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: number)),
                stamp: HybridTimestamp(time: milliseconds << 16 | number, replica: owner.replica),
                kind: .put(note.encoded(), base: nil))
            let body = PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: [change])])
            let connection = try RawConnection(port: port, seconds: 30)
            connection.send(
                TestServer.request(
                    "POST", "/v1/push", token: owner.token, fields: ["Content-Type: application/x-protobuf"],
                    body: body.protobuf()))
            return connection.receive()?.status == 200
        }

        func page(_ port: Int, since: String = "") throws -> JSONValue {
            while true {
                let connection = try RawConnection(port: port, seconds: 30)
                connection.send(TestServer.request("GET", "/v1/pull?since=\(since)", token: owner.token))
                let response = connection.receive()
                // On a fast machine, the pushes have used up the device's rate.
                guard response?.status == 429 else { return response?.json ?? .null }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }

        /// Runs `body` against a server on a folder.
        static func serve<Result>(_ data: String, _ body: (Int) throws -> Result) throws -> Result {
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            return try body(program.port)
        }
    }

    private static func backup(_ data: String, to file: String) throws -> ServerProgram.Outcome {
        try ServerProgram.run(["backup", "--data", data, "--to", file])
    }

    private static func restore(_ data: String, from file: String) throws -> ServerProgram.Outcome {
        try ServerProgram.run(["restore", "--data", data, "--from", file])
    }

    /// Every backup taken while a device pushes is intact, and contains all changes that were acknowledged before it began.
    @Test func everyBackupUnderLoadRestores() async throws {
        try await offTasks {
            let (site, program) = try Site.make()
            let acknowledged = Atomic<UInt64>(0)
            let isDone = Atomic<Bool>(false)
            let pushing = DispatchGroup()
            DispatchQueue(label: "pushing").async(group: pushing) {
                var number: UInt64 = 1
                while !isDone.load(ordering: .relaxed), (try? site.push(number, to: program.port)) == true {
                    acknowledged.store(number, ordering: .releasing)
                    number += 1
                }
            }
            var backups: [(file: String, acknowledged: UInt64)] = []
            for index in 0..<6 {
                let least = acknowledged.load(ordering: .acquiring)
                let file = "\(site.data)-backup-\(index)"
                let outcome = try Self.backup(site.data, to: file)
                #expect(outcome.status == 0, "\(outcome.errors)")
                backups.append((file, least))
            }
            isDone.store(true, ordering: .relaxed)
            pushing.wait()
            let total = acknowledged.load(ordering: .acquiring)
            let checkpoint = try site.page(program.port)["checkpoint"]?.stringValue ?? ""
            #expect(program.stop().status == 0)
            #expect(total > 20)
            for backup in backups {
                let data = ServerProgram.newFolder()
                #expect(try Self.restore(data, from: backup.file).status == 0)
                try Site.serve(data) { port in
                    let page = try site.page(port)
                    let count = UInt64(page["records"]?.arrayValue?.count ?? 0)
                    #expect(count >= backup.acknowledged && count <= total)
                    #expect(try page["digest"]?.stringValue == Self.digest(of: page))
                    let later = try site.page(port, since: checkpoint)
                    #expect(later["error"]?["code"]?.stringValue == "history_changed")
                }
            }
        }
    }

    private static func digest(of page: JSONValue) throws -> String {
        let names = RecordJSON(try Schema(json: TestServer.schema))
        var digest = ScopeDigest()
        for record in page["records"]?.arrayValue ?? [] {
            let state = try RecordState(json: record, names)
            digest.replace(SlotStamps(), with: state.stamps, of: state.key)
        }
        return digest.description
    }

    @Test func backupIsPrivateAndOneFile() async throws {
        try await offTasks {
            let (site, program) = try Site.make()
            defer { _ = program.stop() }
            let file = site.data + "-backup"
            #expect(try Self.backup(site.data, to: file).status == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let name = (file as NSString).lastPathComponent
            let folder = (file as NSString).deletingLastPathComponent
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(name) } == [name])
        }
    }

    @Test func backupReplacesNothing() async throws {
        try await offTasks {
            let (site, program) = try Site.make()
            defer { _ = program.stop() }
            let file = site.data + "-backup"
            try Data("precious".utf8).write(to: URL(filePath: file))
            let outcome = try Self.backup(site.data, to: file)
            #expect(outcome.status == 74)
            #expect(outcome.errors.contains("it is there already"))
            #expect(try Data(contentsOf: URL(filePath: file)) == Data("precious".utf8))
        }
    }

    @Test func backupOfNothingIsRefused() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let outcome = try Self.backup(data, to: data + "-backup")
            #expect(outcome.status == 74)
            #expect(!FileManager.default.fileExists(atPath: data))
            #expect(!FileManager.default.fileExists(atPath: data + "-backup"))
        }
    }

    @Test func restoreIsRefusedWhileAServerRuns() async throws {
        try await offTasks {
            let (site, program) = try Site.make()
            defer { _ = program.stop() }
            let file = site.data + "-backup"
            #expect(try Self.backup(site.data, to: file).status == 0)
            let outcome = try Self.restore(site.data, from: file)
            #expect(outcome.status == 74)
            #expect(outcome.errors.contains("another roost-server"))
        }
    }

    @Test func restoreKeepsWhatWasThere() async throws {
        try await offTasks {
            let (site, program) = try Site.make()
            let file = site.data + "-backup"
            #expect(try Self.backup(site.data, to: file).status == 0)
            #expect(try site.push(1, to: program.port))
            // After a kill, the pushed changes are only in the WAL.
            kill(program.process.processIdentifier, SIGKILL)
            program.process.waitUntilExit()
            let outcome = try Self.restore(site.data, from: file)
            #expect(outcome.status == 0)
            let kept = try #require(try site.files().first { $0.hasPrefix("roost.sqlite.before-") })
            #expect(outcome.output.contains(kept))
            #expect(try site.files() == ["roost.sqlite", kept])
            let other = ServerProgram.newFolder()
            #expect(try Self.restore(other, from: "\(site.data)/\(kept)").status == 0)
            #expect(try Site.serve(other) { try site.page($0)["records"]?.arrayValue?.count } == 1)
            #expect(try Site.serve(site.data) { try site.page($0)["records"]?.arrayValue?.count } == 0)
        }
    }

    enum Harm: String, CaseIterable, Sendable {
        case missing
        case empty
        case text
        case cut
        case overwritten
        case anotherProgram
        case newerFormat
    }

    @Test(arguments: Harm.allCases)
    func fileThatIsNoGoodChangesNothing(_ harm: Harm) async throws {
        try await offTasks {
            let (site, program) = try Site.make()
            for number: UInt64 in 1...20 { #expect(try site.push(number, to: program.port)) }
            let file = site.data + "-backup"
            #expect(try Self.backup(site.data, to: file).status == 0)
            #expect(program.stop().status == 0)
            try Self.apply(harm, to: file)
            let before = try Data(contentsOf: URL(filePath: site.database))
            let files = try site.files()
            let outcome = try Self.restore(site.data, from: file)
            #expect(outcome.status == (harm == .missing ? 74 : 65), "\(outcome.errors)")
            #expect(try Data(contentsOf: URL(filePath: site.database)) == before)
            #expect(try site.files() == files)
        }
    }

    private static func apply(_ harm: Harm, to path: String) throws {
        let url = URL(filePath: path)
        var bytes = Array(try Data(contentsOf: url))
        switch harm {
        case .missing: return try FileManager.default.removeItem(at: url)
        case .empty: bytes = []
        case .text: bytes = Array(String(repeating: "This is a letter, not a backup. ", count: 400).utf8)
        case .cut: bytes.removeLast(bytes.count / 2)
        case .overwritten:
            for index in bytes.indices where index >= 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        // Overwrites the header's application_id or user_version.
        case .anotherProgram: bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
        case .newerFormat: bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
        }
        try Data(bytes).write(to: url)
    }
}
