import Replica
import RoostModel
import Simulation
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

        /// Each commit is on the disk when it returns: with the power gone before the next operation, all of them are there.
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

        /// The disk does lose something: what was not synced, a replica that does not ask for it loses in some image.
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
