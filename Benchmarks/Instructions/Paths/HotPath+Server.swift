import RoostModel
import RoostProtocol
import RoostService

/// Paths of the server for a push and for a page, without its network.
extension HotPath {
    static let server = [
        HotPath(
            name: "commit", help: "Pushes of 1,000 new spendings read, merged and committed by the server.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let server = try await ServedScope.make(place)
            let bodies = Messages.pushes(by: server.owner.replica, at: ServedScope.now).map { $0.protobuf() }
            return { round in try await server.push(bodies[round]) }
        },
        HotPath(
            name: "commit-edits", help: "Pushes of 1,000 edited spendings, likewise.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let server = try await ServedScope.make(place)
            let puts = Messages.pushes(by: server.owner.replica, at: ServedScope.now)
            for put in puts { try await server.push(put.protobuf()) }
            let edits = Messages.pushes(by: server.owner.replica, at: ServedScope.now + 1000).map { push in
                var edit = push
                edit.number += UInt64(HotPath.roundsMax)
                return edit.protobuf()
            }
            return { round in try await server.push(edits[round]) }
        },
        HotPath(
            name: "serve", help: "Pages of 1,000 spendings read by the server for a device that begins.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let server = try await ServedScope.make(place)
            for push in Messages.pushes(by: server.owner.replica, at: ServedScope.now) {
                try await server.push(push.protobuf())
            }
            let reader = try await server.join()
            // Each push is one transaction, and a page of minimal size contains one.
            var checkpoints: [Checkpoint?] = [nil]
            for round in 0..<HotPath.roundsMax {
                let page = try await server.pull(since: checkpoints[round], bytesMax: 1, for: reader)
                checkpoints.append(try PullReply(protobuf: page).checkpoint)
            }
            let places = checkpoints
            return { round in
                let page = try await server.pull(since: places[round], bytesMax: 1, for: reader)
                guard page.count > Workplace.recordsPerRound else { throw Messages.isEmpty }
            }
        },
    ]
}
