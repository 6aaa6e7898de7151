internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// The devices whose names are stored, so that the journal can name the author of a change, and the role of this device.
struct DeviceNames {
    /// Whether a device's name or this device's role is missing. The owner of the driver may ask the server, and resets it.
    var areWanted = false
    /// Whether this device may only read, according to the cached role.
    var isViewer = false
    /// The devices whose names are stored; `nil` before they are read.
    private var known: Set<ReplicaID>?

    /// Requests names at once in a new replica: all records that it pulls come from unknown devices.
    mutating func begin(_ start: SessionStart) {
        isViewer = start.isViewer
        areWanted = start.begins || isViewer
    }

    /// Detects by a failure that this device's role has changed.
    mutating func note(_ failure: SyncFailure?) {
        guard case .refused(let error) = failure, error.code == .forbidden else { return }
        areWanted = true
    }

    /// Detects records of an unknown device.
    mutating func note(_ records: [RecordState], _ replica: Replica) {
        guard !records.isEmpty else { return }
        // A viewer that has become an editor learns it only so.
        if isViewer { areWanted = true }
        if known == nil { known = try? Set(replica.devices().keys) }
        guard var known else { return }
        // Records of one device mostly come together, and need only a comparison.
        var last: ReplicaID?
        func note(_ author: ReplicaID?) {
            guard let author, author != last else { return }
            last = author
            if known.insert(author).inserted { areWanted = true }
        }
        for record in records {
            note(record.put?.stamp.replica)
            note(record.delete?.replica)
        }
        self.known = known
    }
}
