import BenchmarkData
import RoostCompression
import RoostModel
import RoostProtocol
import RoostService

/// Paths that encode and decode messages.
extension HotPath {
    static let wire = [
        HotPath(
            name: "encode-push", help: "A push of 1,000 changes written as Protocol Buffers.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { _ in
            let pushes = Messages.pushes()
            return { round in guard !pushes[round].protobuf().isEmpty else { throw Messages.isEmpty } }
        },
        HotPath(
            name: "decode-push", help: "The same read, as a device does that takes in the reply.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { _ in
            let bodies = Messages.pushes().map { $0.protobuf() }
            return { round in
                guard try !PushRequest(protobuf: bodies[round]).transactions.isEmpty else { throw Messages.isEmpty }
            }
        },
        HotPath(
            name: "prepare-push", help: "The same read and looked at, as the server does before it takes a push in.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { _ in
            let bodies = Messages.pushes().map { $0.protobuf() }
            let names = RecordJSON(Schema(name: "", version: 0, entities: []))
            let seal = CheckpointSeal(secret: [UInt8](repeating: 1, count: 32))
            let scope = Messages.scope
            return { round in
                _ = try PreparedPush(
                    bodies[round], as: .protobuf, names, from: scope, seal: seal, limits: Limits())
            }
        },
        HotPath(
            name: "decode-page", help: "A page of 1,000 records read.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { _ in
            let pages = Messages.pages().map { $0.protobuf() }
            return { round in
                guard try !PullReply(protobuf: pages[round]).records.isEmpty else { throw Messages.isEmpty }
            }
        },
        HotPath(
            name: "compress-page", help: "A page of 1,000 records compressed with zstd.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { _ in
            let pages = Messages.pages().map { $0.protobuf() }
            return { round in guard try !Compression.zstd(pages[round]).isEmpty else { throw Messages.isEmpty } }
        },
    ]
}
