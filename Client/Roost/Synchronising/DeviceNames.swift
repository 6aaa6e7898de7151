internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// The devices whose names are stored, so that the journal can say who wrote a change, and the role of this one.
struct DeviceNames {
    /// Whether a device's name or this one's role is not known. The program that drives the session may ask the server, and resets it.
    var areWanted = false
    /// Whether this device may only read, as far as is known.
    var isViewer = false
    /// The devices whose names are stored; `nil` before they are read.
    private var known: Set<ReplicaID>?

    /// Asks for names at once where a replica begins: all that it pulls was written by devices that it does not know.
    mutating func begin(_ start: SessionStart) {
        isViewer = start.isViewer
        areWanted = start.begins || isViewer
    }

    /// Notices that this device has another role than it assumed.
    mutating func note(_ failure: SyncFailure?) {
        guard case .refused(let error) = failure, error.code == .forbidden else { return }
        areWanted = true
    }

    /// Notices records of a device that is new here.
    mutating func note(_ records: [RecordState], _ replica: Replica) {
        guard !records.isEmpty else { return }
        // Nothing else tells a viewer that it may write now.
        if isViewer { areWanted = true }
        if known == nil { known = try? Set(replica.devices().keys) }
        guard var known else { return }
        // Records of one device mostly come together: few need more than a comparison.
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
