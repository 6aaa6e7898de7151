import Replica
import RoostModel
import Testing

/// A local transaction writes nothing that no synchronisation accepts.
@Suite struct RecordLimitsTests {
    private static let id = RecordID(high: 0, low: 1)
    private static let half = String(repeating: "x", count: 150_000)

    @Test func aRecordThatIsTooLargeIsNotWritten() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let error = #expect(throws: ReplicaError.self) {
            try file.replica.write("add") { transaction in
                try transaction.put("Person", id: RecordID(high: 0, low: 2), ["name": .string("Ana")])
                try transaction.put("Person", id: Self.id, ["name": .string(Self.half + Self.half)])
            }
        }
        #expect(error?.code == .tooLarge)
        #expect(
            error?.message
                == "Cannot write Person \(Self.id): it has 300014 bytes of content, 300000 of them in \"name\", and the limit is 262144 (256 KiB). Shorten it, or divide it among several records."
        )
        #expect(try file.count("select count(*) from person") == 0)
        #expect(try file.count("select count(*) from roost_outbox") == 0)
    }

    /// The values of one record count together, however many calls write them.
    @Test func valuesThatAreTooLargeTogetherAreNotWritten() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.replica.write("add") { try $0.put("Spending", id: Self.id, ["content": .string(Self.half)]) }
        let error = #expect(throws: ReplicaError.self) {
            try file.replica.write("edit") {
                try $0.put("Spending", id: Self.id, ["amount": .integer(1)])
                try $0.put("Spending", id: Self.id, ["split": .string("\"\(Self.half)\"")])
            }
        }
        #expect(error?.code == .tooLarge)
        #expect(try file.count("select count(*) from spending where amount = 0 and split is null") == 1)
        try file.replica.write("replace") {
            try $0.put("Spending", id: Self.id, ["split": .string("\"\(Self.half)\""), "content": .string("")])
        }
    }

    /// A content that is too large for a moment is not refused.
    @Test func theLastContentOfATransactionCounts() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.replica.write("add") {
            try $0.put("Person", id: Self.id, ["name": .string(Self.half + Self.half)])
            try $0.put("Person", id: Self.id, ["name": .string("Ana")])
        }
        #expect(try file.texts("select name from person") == ["Ana"])
    }

    @Test func aRecordHasAtMost128Properties() throws {
        let attributes = (1...140).map { #"{"id": \#($0), "name": "a\#($0)", "type": "integer", "optional": true}"# }
        let file = try TemporaryReplica(
            #"{"format": 1, "name": "wide", "version": 1, "entities": [{"id": 1, "name": "Wide", "attributes": [\#(attributes.joined(separator: ", "))]}]}"#
        )
        let values = Dictionary(uniqueKeysWithValues: (1...128).map { ("a\($0)", Value.integer(1)) })
        try file.replica.write("add") { try $0.put("Wide", id: Self.id, values) }
        let error = #expect(throws: ReplicaError.self) {
            try file.replica.write("edit") { try $0.put("Wide", id: Self.id, ["a129": .integer(1)]) }
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("has 129 attributes and references, and the limit is 128") == true)
    }

    /// The code of a migration writes like a program.
    @Test func theCodeOfAMigrationIsChecked() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.replica.write("add") { try $0.put("Person", id: Self.id, ["name": .string("Ana")]) }
        let later = try Schema(json: TemporaryReplica.people.replacing("\"version\": 1", with: "\"version\": 2"))
        let plan = try MigrationPlan([
            .custom(later) { try $0.transaction.put("Person", id: Self.id, ["name": .string(Self.half + Self.half)]) }
        ])
        let error = #expect(throws: ReplicaError.self) { try Replica.migrate(at: file.path, by: plan) }
        #expect(error?.code == .cannotMigrate)
        #expect(error?.message.contains("the limit is 262144") == true)
        #expect(try file.texts("select name from person") == ["Ana"])
    }
}
