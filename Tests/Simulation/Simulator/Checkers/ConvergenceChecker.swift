internal import RoostModel
internal import RoostService

/// I1: replicas with equal checkpoints and no pending changes show equal rows, byte for byte, and agree with the server.
enum ConvergenceChecker {
    /// Returns the parts that must be equal: the visible rows, slots, and the digest.
    static func dump(_ view: ReplicaView) -> String {
        var lines: [String] = []
        // Programs of an earlier schema version do not show the entities that a later one adds.
        let entities = Set(SampleSchema.tables.map(\.entity))
        for (key, row) in view.rows.sorted(by: { $0.key < $1.key }) where row.isVisible && entities.contains(key.entity)
        {
            let references = row.references.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.append("\(key) \(row.text) \(row.number) \(references.joined(separator: " "))")
        }
        return lines.joined(separator: "\n")
    }

    static func difference(_ devices: [SimulatedDevice], _ server: ServerView, comparesRows: Bool = true) -> String? {
        for device in devices {
            let view = device.view
            if !view.outbox.isEmpty || view.sealedPushes > 0 {
                return "replica \(device.index) still has \(view.outbox.count) changes that wait"
            }
            if view.digest != server.scope.head.digest.bytes, server.scope.head.sequence > 0 {
                return "the digest of replica \(device.index) differs from the server's"
            }
            for (key, record) in server.records where view.facts[key] != record.state.stamps {
                return "replica \(device.index) has other slots of \(key) than the server"
            }
            if view.facts.count != server.records.count {
                return
                    "replica \(device.index) confirms \(view.facts.count) records, the server has \(server.records.count)"
            }
            if comparesRows, dump(view) != dump(devices[0].view) {
                return "replicas \(devices[0].index) and \(device.index) show different rows"
            }
        }
        return nil
    }
}
