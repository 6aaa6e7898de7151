import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// Records that refer to each other in the worst ways: a chain of ten thousand, a ring, each to itself, all to one.
@Suite struct LongChainTests {
    enum Shape: String, CaseIterable { case chain, ring, selves, star }

    /// A hierarchy breaks a cycle at one record. Otherwise, a cascade hides the whole ring with any of its records.
    enum Kind: String, CaseIterable { case hierarchy, cascade }

    private static func schema(_ kind: Kind) -> String {
        """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Node", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 2, "name": "parent", "kind": "toOne", "destination": "Node", "inverse": "children", "optional": true\(kind == .hierarchy ? #", "tree": true"# : "")},
            {"id": 3, "name": "children", "kind": "toMany", "destination": "Node", "inverse": "parent",
             "deleteRule": "cascade"}]}]}
        """
    }

    private static func key(_ number: Int) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: UInt64(number)))
    }

    private static func stamp(_ time: Int) -> HybridTimestamp {
        HybridTimestamp(time: UInt64(time) << 16, replica: ReplicaID(rawValue: 9))
    }

    private static func records(_ shape: Shape, _ count: Int) -> [RecordState] {
        (0..<count).map { number in
            let parent: Int? =
                switch shape {
                case .chain: number == 0 ? nil : number - 1
                case .ring: number == 0 ? count - 1 : number - 1
                case .selves: number
                case .star: number == 0 ? nil : 0
                }
            let put = Put(
                references: parent.map { [.init(relationship: PropertyID(2), target: key($0).id)] } ?? [],
                content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("a"))]))
            return RecordState(
                key: key(number), put: .init(stamp: stamp(1 + number), base: nil, encoded: put.encoded()))
        }
    }

    /// Applies the records, then the delete of the first, and counts the steps of each.
    private static func steps(_ shape: Shape, _ kind: Kind, _ count: Int) throws -> (taken: Int, deleted: Int) {
        let file = try TemporaryReplica(schema(kind))
        let counter = StepCounter()
        try file.replica.engine.unsafeRead { counter.start(on: $0) }
        let records = records(shape, count)
        _ = try file.replica.apply(records, checkpoint: [1], serverTime: nil)
        let taken = counter.steps
        let shown = try file.count("SELECT count(*) FROM node")
        #expect(shown == (kind == .cascade && (shape == .ring || shape == .selves) ? shown : count), "\(shape) \(kind)")
        var first = records[0]
        first.delete = stamp(count + 10)
        _ = try file.replica.apply([first], checkpoint: [2], serverTime: nil)
        #expect(try file.count("SELECT count(*) FROM node") < max(1, count), "\(shape) \(kind)")
        if shape == .chain || shape == .star { #expect(try file.count("SELECT count(*) FROM node") == 0) }
        // The record comes back with all its cascade children.
        first.put?.stamp = stamp(count + 20)
        _ = try file.replica.apply([first], checkpoint: [3], serverTime: nil)
        #expect(try file.count("SELECT count(*) FROM node") == shown, "\(shape) \(kind)")
        try file.replica.engine.unsafeRead { counter.stop(on: $0) }
        return (taken, counter.steps - taken)
    }

    /// The test counts steps of SQLite's virtual machine, not seconds. Four times the records may take six times the steps,
    /// and not sixteen.
    ///
    /// A hierarchy has at most as many records as are derived at once: beyond that, each part follows it to its end
    /// (Docs/benchmarks.md, "Hierarchies that come at once").
    @Test(arguments: Shape.allCases, Kind.allCases) func stepsAreInProportion(shape: Shape, kind: Kind) throws {
        let count = kind == .hierarchy ? 4000 : 10_000
        try #require(kind == .cascade || count <= ChangesInTurns.changesAtOnce)
        let (few, many) = (try Self.steps(shape, kind, count / 4), try Self.steps(shape, kind, count))
        #expect(many.taken < few.taken * 6, "\(few) and \(many)")
        #expect(many.deleted < max(few.deleted, 1000) * 6, "\(few) and \(many)")
    }

    /// One delete hides a million records that were all visible on a device.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["ROOST_LARGE_GROUPS"] != nil, "takes minutes"))
    func aMillionChildrenAreHiddenWithTheirParent() throws {
        let (few, many) = (try Self.steps(.star, .cascade, 100_000), try Self.steps(.star, .cascade, 1_000_000))
        #expect(many.taken < few.taken * 15, "\(few) and \(many)")
        #expect(many.deleted < few.deleted * 15, "\(few) and \(many)")
    }
}
