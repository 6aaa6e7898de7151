package import Replica
package import RoostModel

/// The JSON form of records, journal entries and their authors, for programs.
package struct RecordForm: Sendable {
    private let json: RecordJSON
    private let devices: [ReplicaID: String]
    private let own: Membership?

    /// - Parameters:
    ///   - devices: The names of the scope's devices, as the file knows them.
    ///   - own: The replica's own membership.
    package init(_ replica: Replica, devices: [ReplicaID: String] = [:], own: Membership? = nil) {
        json = RecordJSON(replica.schema)
        self.devices = devices
        self.own = own
    }

    /// Returns the name of a record's entity.
    package func entity(_ key: RecordKey) -> String { json.name(of: key.entity) }

    /// Returns the name of the device that made a change.
    package func author(_ stamp: HybridTimestamp) -> String {
        if stamp.replica == .unregistered || stamp.replica == own?.replica { return own?.deviceName ?? "this device" }
        return devices[stamp.replica] ?? "replica \(stamp.replica)"
    }

    /// Returns the content of a record as an object under the names of the schema; null where it cannot be read.
    package func object(_ encoded: [UInt8], _ key: RecordKey) -> JSONValue {
        (try? json.object(encoded, of: key.entity)) ?? .null
    }

    /// Returns a record as its entity and its identifier.
    package func reference(_ key: RecordKey) -> JSONValue {
        .members(("entity", .string(entity(key))), ("id", .string(key.id.description)))
    }
}
