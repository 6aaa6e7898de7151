import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// A crash while a file is created from an invite.
@Suite struct UnfinishedReplicaTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string", "optional": true}]}]}
        """

    private let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "new.roost").path
    }

    private func begin(_ request: String = "join", fresh: String) throws -> UnfinishedReplica {
        try UnfinishedReplica(beginning: path, for: request, fresh: fresh, "join")
    }

    @Test func repeatedRequestHasTheSameNonce() throws {
        #expect(try begin(fresh: "one").nonce == "one")
        #expect(try begin(fresh: "two").nonce == "one")
        #expect(try begin("join with another link", fresh: "three").nonce == "three")
        let mode = try FileManager.default.attributesOfItem(atPath: path + "-joining")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func finishedRequestLeavesNothing() throws {
        try begin(fresh: "one").end()
        let folder = URL(filePath: path).deletingLastPathComponent().path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try begin(fresh: "two").nonce == "two")
    }

    /// The crash comes before the file has any content, or before it belongs to a scope.
    @Test(arguments: ["empty", "no tables", "local"]) func halfMadeFileIsMadeAnew(kind: String) throws {
        _ = try begin(fresh: "one")
        switch kind {
        case "empty": FileManager.default.createFile(atPath: path, contents: nil)
        case "no tables":
            let database = try DatabaseQueue(path: path)
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 1") }
            try database.close()
        default: try Replica.create(at: path, schema: Schema(json: Self.schema)).close()
        }
        #expect { try Replica(opening: path) } throws: { error in
            let error = error as? ReplicaError
            return error?.code == .notAReplica && error?.message.contains("joining was interrupted") == true
        }
        #expect(UnfinishedReplica.isLeft(at: path))
        #expect(try begin(fresh: "two").nonce == "one")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Another file has been put at the path since.
    @Test func fileWithRecordsStays() throws {
        _ = try begin(fresh: "one")
        let replica = try Replica.create(at: path, schema: Schema(json: Self.schema))
        try replica.write("person") { try $0.put("Person", id: RecordID(high: 1, low: 1), ["name": .string("Ana")]) }
        try replica.close()
        #expect { _ = try begin(fresh: "two") } throws: { ($0 as? ReplicaError)?.code == .exists }
        #expect(!UnfinishedReplica.isLeft(at: path))
        #expect(try Replica(opening: path).status().waiting == 1)
    }

    @Test func otherFileIsNotTakenForIt() throws {
        FileManager.default.createFile(atPath: path, contents: Data("mine".utf8))
        #expect { _ = try begin(fresh: "one") } throws: { ($0 as? ReplicaError)?.code == .exists }
        #expect(!FileManager.default.fileExists(atPath: path + "-joining"))
    }
}
