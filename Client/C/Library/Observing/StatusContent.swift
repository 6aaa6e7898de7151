internal import Replica
internal import RoostModel

/// The status of a replica: what waits, and the state of live synchronisation.
final class StatusContent: Observation.Content {
    private unowned let owner: ReplicaEntry
    private var last: JSONValue?

    init(_ owner: ReplicaEntry) { self.owner = owner }

    func event() throws -> JSONValue? {
        let pending = try owner.call { try $0.replica.pending() }
        let event = JSONValue.members(
            ("kind", .string("status")), ("waiting", .integer(pending.waiting)),
            ("lastContact", pending.lastContact.map { .integer($0) }), ("live", owner.liveState))
        guard event != last else { return nil }
        last = event
        return event
    }
}
