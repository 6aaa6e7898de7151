import Replica
import RoostModel
import Testing

/// The replica's state is always the file's, whatever program has written it.
@Suite struct StateTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        _ = try file.replica.apply([], checkpoint: [1], serverTime: nil)
    }

    /// Returns whether a page that follows `checkpoint` is applied.
    private func takes(after checkpoint: [UInt8], next: [UInt8]) throws -> Bool {
        try !file.replica.apply([], since: .checkpoint(checkpoint), checkpoint: next, serverTime: nil).isOvertaken
    }

    @Test func ownValuesAreKnown() throws {
        #expect(try takes(after: [1], next: [2]))
        #expect(try !takes(after: [1], next: [3]))
        #expect(try takes(after: [2], next: [3]))
    }

    @Test func valueOfAnotherProgramIsRead() throws {
        #expect(try takes(after: [1], next: [2]))
        try file.sql("UPDATE roost_control SET checkpoint = x'09'")
        #expect(try !takes(after: [2], next: [3]))
        #expect(try takes(after: [9], next: [3]))
    }

    /// The index makes the update of the server's time fail.
    @Test func valueThatIsTakenBackIsNotThere() throws {
        try file.sql(
            "CREATE INDEX refuse ON roost_control(json(CASE WHEN clock_offset = 0 THEN '1' ELSE 'malformed' END))")
        #expect(try takes(after: [1], next: [2]))
        let page = [
            RecordState(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1)),
                delete: .init(time: 9, replica: ReplicaID(rawValue: 9)))
        ]
        #expect(throws: ReplicaError.self) {
            try file.replica.apply(page, since: .checkpoint([2]), checkpoint: [3], serverTime: 1 << 50)
        }
        #expect(try takes(after: [2], next: [3]))
    }

    /// In a corrupt file, the replica does not act as if it had no checkpoint.
    @Test func rowThatIsLostIsSaid() throws {
        try file.sql("DELETE FROM roost_control")
        let error = #expect(throws: ReplicaError.self) { try file.replica.sessionStart() }
        #expect(error?.code == .corrupt)
        #expect(throws: ReplicaError.self) { try file.replica.apply([], checkpoint: [2], serverTime: nil) }
        #expect(throws: ReplicaError.self) { try file.replica.write("add") { _ in } }
    }
}
