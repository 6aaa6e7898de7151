import GRDB
import RoostModel
import Testing

@testable import Replica

/// A schema whose records deny each other's deletes: the cost of a page grows with its records, not with their square.
@Suite struct DenyWithinEntityTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Node", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 2, "name": "needs", "kind": "toOne", "destination": "Node", "inverse": "neededBy"},
            {"id": 3, "name": "neededBy", "kind": "toMany", "destination": "Node", "inverse": "needs",
             "deleteRule": "deny"}]}]}
        """

    /// The test counts steps of SQLite's virtual machine, not seconds.
    @Test func aPageTakesStepsInProportion() throws {
        let (few, many) = (try Self.steps(records: 300), try Self.steps(records: 1200))
        // With four times the records, quadratic cost would be sixteen times the steps.
        #expect(many < few * 6, "\(few) for 300 records, \(many) for 1,200")
    }

    private static func steps(records: Int) throws -> Int {
        let file = try TemporaryReplica(schema)
        let states = (0..<records).map { number in
            let stamp = HybridTimestamp(time: UInt64(number + 1) << 16, replica: ReplicaID(rawValue: 9))
            let put = Put(
                references: [], content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("a"))]))
            return RecordState(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: UInt64(number))),
                put: .init(stamp: stamp, base: nil, encoded: put.encoded()))
        }
        let counter = StepCounter()
        try file.replica.engine.unsafeRead { counter.start(on: $0) }
        _ = try file.replica.apply(states, checkpoint: [1], serverTime: nil)
        try file.replica.engine.unsafeRead { counter.stop(on: $0) }
        return counter.steps
    }
}
