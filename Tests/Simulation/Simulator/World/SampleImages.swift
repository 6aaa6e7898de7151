internal import Replica
internal import RoostModel

/// Fresh replicas of each version of the schema, ready to be copied: making one anew takes longer than a whole simulation
/// should.
package struct SampleImages: Sendable {
    private let images: [SimulatedDisk.Image]

    package init() throws {
        images = try (1...SampleSchema.versions).map { version in
            let disk = try SimulatedDisk("image")
            let path = disk.path(SimulatedDevice.file)
            disk.removeMark(SimulatedDevice.file)
            let replica = try Replica.create(at: path, schema: Schema(json: SampleSchema.text(version: version)))
            try replica.close()
            return disk.image(of: SimulatedDevice.file)
        }
    }

    package func image(version: Int) -> SimulatedDisk.Image { images[version - 1] }
}
