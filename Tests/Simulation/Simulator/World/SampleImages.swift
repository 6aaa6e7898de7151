internal import Replica
package import RoostModel

/// Fresh replicas of each version of the schema, ready to be copied: creating one takes longer than a simulated run should.
package struct SampleImages: Sendable {
    private let full: [SimulatedDisk.Image]
    private let plain: [SimulatedDisk.Image]
    private let foreign: [SimulatedDisk.Image]
    /// Files of the full schema with identifiers as text.
    private let text: [SimulatedDisk.Image]

    package init() throws {
        full = try (1...SampleSchema.versions).map { try Self.make(SampleSchema.text(version: $0, .full)) }
        plain = try (1...SampleSchema.versions).map { try Self.make(SampleSchema.text(version: $0, .plain)) }
        text = try (1...SampleSchema.versions).map { try Self.make(SampleSchema.text(version: $0, .full), .text) }
        foreign = try (1...SampleSchema.versions).map { try Self.make(SampleSchema.text(version: $0, .foreign)) }
    }

    package func image(
        version: Int, _ kind: SampleSchema.Kind = .full, _ identifiers: IdentifierForm = .bytes
    ) -> SimulatedDisk.Image {
        switch kind {
        case .full where identifiers == .text: text[version - 1]
        case .full: full[version - 1]
        case .plain: plain[version - 1]
        case .foreign: foreign[version - 1]
        }
    }

    private static func make(_ schema: String, _ identifiers: IdentifierForm = .bytes) throws -> SimulatedDisk.Image {
        let disk = try SimulatedDisk("image")
        let path = disk.path(SimulatedDevice.file)
        disk.removeMark(SimulatedDevice.file)
        let replica = try Replica.create(at: path, schema: Schema(json: schema), identifiers: identifiers)
        try replica.close()
        return disk.image(of: SimulatedDevice.file)
    }
}
