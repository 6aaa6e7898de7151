import Replica
import RoostModel
import RoostProtocol
import Simulation
import TestScope
import Testing

extension SimulationTests {
    @Suite(.serialized) struct SimulatedDiskTests {
        private static let schema = SampleSchema.text(version: 1)

        private func write(_ number: Int, _ replica: Replica) throws {
            try replica.write("test") {
                try $0.put("Label", id: RecordID(high: 1, low: UInt64(number)), ["number": .integer(Int64(number))])
            }
        }

        private func count(_ replica: Replica) throws -> Int {
            try replica.select("SELECT id FROM label").count
        }

        /// Each commit is on the disk when it returns: with a power failure before the next operation, all of them remain.
        @Test func committedWritesOfAFullReplicaSurviveALossOfPower() throws {
            let images = try SampleImages()
            for seed in UInt64(1)...20 {
                let disk = try SimulatedDisk("t")
                disk.put(images.image(version: 1), as: "t.roost")
                var replica: Replica? = try Replica(opening: disk.path("t.roost"), durability: .full)
                for number in 0..<5 { try write(number, try #require(replica)) }
                _ = disk.crash(.power, seed: seed)
                replica = nil
                disk.placeMarks(for: "t.roost")
                let again = try Replica(opening: disk.path("t.roost"), durability: .full)
                #expect(try count(again) == 5)
                try again.close()
            }
        }

        private func page(_ number: UInt16) -> [RecordState] {
            let stamp = HybridTimestamp(
                milliseconds: 1_767_225_600_000, counter: number, replica: ReplicaID(rawValue: 9))
            let content = ContentCoding.encode([.init(property: SampleSchema.number, value: .integer(1))])
            let key = RecordKey(entity: SampleSchema.label, id: RecordID(high: 2, low: UInt64(number)))
            return [
                RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()))
            ]
        }

        /// Roost does not wait for the disk to store a page, which the server delivers again. A later commit takes the page
        /// to the disk, so that no change is ever stored without the state that it was made from.
        @Test(arguments: [true, false]) func pageIsSafeWithWhatIsWrittenAfterIt(isWrittenAfter: Bool) throws {
            let images = try SampleImages()
            var counts: Set<Int> = []
            for seed in UInt64(1)...40 {
                let disk = try SimulatedDisk("t")
                disk.put(images.image(version: 1), as: "t.roost")
                var replica: Replica? = try Replica(opening: disk.path("t.roost"), durability: .full)
                try write(1, try #require(replica))
                _ = try replica?.apply(page(1), checkpoint: [1], serverTime: nil)
                if isWrittenAfter { try write(2, try #require(replica)) }
                _ = disk.crash(.power, seed: seed)
                replica = nil
                disk.placeMarks(for: "t.roost")
                let again = try Replica(opening: disk.path("t.roost"), durability: .full)
                counts.insert(try count(again))
                #expect(try again.checkpoint() == (try count(again) == 1 ? nil : [1]))
                try again.close()
            }
            #expect(counts == (isWrittenAfter ? [3] : [1, 2]))
        }

        /// A push that may have been sent is still sealed, with its number and bytes.
        @Test func sealedPushSurvivesALossOfPower() throws {
            let images = try SampleImages()
            let limits = PushLimits(
                changesPerPush: 1, bytesPerPush: 1 << 20, changesPerTransaction: 10, bytesPerTransaction: 1 << 20)
            for seed in UInt64(1)...20 {
                let disk = try SimulatedDisk("t")
                disk.put(images.image(version: 1), as: "t.roost")
                var replica: Replica? = try Replica(opening: disk.path("t.roost"), durability: .full)
                for number in 0..<2 { try write(number, try #require(replica)) }
                // A page precedes it, for which Roost does not wait for the disk.
                _ = try replica?.apply(page(1), checkpoint: [1], serverTime: nil)
                _ = try replica?.sealPushes(limits: limits)
                _ = disk.crash(.power, seed: seed)
                replica = nil
                disk.placeMarks(for: "t.roost")
                let again = try Replica(opening: disk.path("t.roost"), durability: .full)
                #expect(try again.sealedPushNumber() == 1)
                try again.close()
            }
        }

        /// With several sealed pushes, Roost waits for the disk to store a reply to one that is not the last: the server
        /// repeats only its last reply.
        @Test func replyToAPushBeforeTheLastSurvivesALossOfPower() throws {
            let images = try SampleImages()
            let limits = PushLimits(
                changesPerPush: 1, bytesPerPush: 1 << 20, changesPerTransaction: 10, bytesPerTransaction: 1 << 20)
            var last: Set<UInt64?> = []
            for seed in UInt64(1)...40 {
                for replies in UInt64(1)...2 {
                    let disk = try SimulatedDisk("t")
                    disk.put(images.image(version: 1), as: "t.roost")
                    var replica: Replica? = try Replica(opening: disk.path("t.roost"), durability: .full)
                    for number in 0..<2 { try write(number, try #require(replica)) }
                    _ = try replica?.sealPushes(limits: limits)
                    for number in 1...replies { _ = try replica?.acknowledge(number, [.stored], current: []) }
                    _ = disk.crash(.power, seed: seed)
                    replica = nil
                    disk.placeMarks(for: "t.roost")
                    let again = try Replica(opening: disk.path("t.roost"), durability: .full)
                    let waiting = try again.sealedPushNumber()
                    if replies == 1 { #expect(waiting == 2) } else { last.insert(waiting) }
                    try again.close()
                }
            }
            #expect(last == [2, nil])
        }

        /// Proves that the disk loses unsynced writes: a replica that does not ask for syncs loses some in at least one
        /// image.
        @Test func committedWritesOfANormalReplicaMayBeLost() throws {
            let images = try SampleImages()
            var counts: Set<Int> = []
            for seed in UInt64(1)...40 {
                let disk = try SimulatedDisk("t")
                disk.put(images.image(version: 1), as: "t.roost")
                var replica: Replica? = try Replica(opening: disk.path("t.roost"), durability: .normal)
                for number in 0..<5 { try write(number, try #require(replica)) }
                _ = disk.crash(.power, seed: seed)
                replica = nil
                disk.placeMarks(for: "t.roost")
                let again = try Replica(opening: disk.path("t.roost"), durability: .normal)
                counts.insert(try count(again))
                try again.close()
            }
            #expect(counts.contains(0))
            #expect(counts.contains(5))
        }
    }
}
