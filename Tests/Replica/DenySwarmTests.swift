import RoostModel
import TestScope
import Testing

@testable import Replica

/// A device undeletes a record again and again, which keeps another one. The other devices are notified each time, and the
/// number of records does not grow.
@Suite struct DenySwarmTests {
    @Test func whoKeepsARecordIsTold() throws {
        let replicas = try (1...2).map { try TemporaryReplica(TemporaryReplica.people, id: UInt64($0)) }
        let (owner, other) = (replicas[0], replicas[1])
        let scope = MemoryScope()
        try owner.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Ben')")
        for replica in replicas { try scope.synchronise(replica.replica) }
        // Neither device has pulled the other's change.
        try owner.sql("DELETE FROM person WHERE id = \(id(1))")
        try other.sql("INSERT INTO spending(id, content, person, guarantor) VALUES (\(id(9)), 'x', \(id(2)), \(id(1)))")
        for replica in [other, owner, other] { try scope.synchronise(replica.replica) }
        var sizes: [Int] = []
        for round in 1...20 {
            #expect(try owner.texts("SELECT name FROM person ORDER BY name") == ["Ana", "Ben"], "\(round)")
            #expect(try owner.replica.status().kept > 0, "\(round)")
            try owner.sql("DELETE FROM spending")
            for replica in [owner, other] { try scope.synchronise(replica.replica) }
            #expect(try other.texts("SELECT name FROM person") == ["Ben"], "\(round)")
            try other.replica.write("again") { try $0.undelete("Spending", id: RecordID(high: 0, low: 9)) }
            for replica in [other, owner] { try scope.synchronise(replica.replica) }
            sizes.append(scope.states.count)
        }
        #expect(sizes == [Int](repeating: 3, count: 20))
    }
}
