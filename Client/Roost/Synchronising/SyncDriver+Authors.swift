internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

extension SyncDriver {
    /// Notices that this device may not do what it thought it may: it has another role.
    mutating func noteRefusal(_ failure: SyncFailure?) {
        guard case .refused(let error) = failure, error.code == .forbidden else { return }
        wantsDevices = true
    }

    /// Notices records of a device that is new here: the journal should be able to say who.
    mutating func noteAuthors(_ records: [RecordState]) {
        guard !records.isEmpty else { return }
        // Nothing else tells a viewer that it may write now.
        if isViewer { wantsDevices = true }
        if devices == nil { devices = try? Set(replica.devices().keys) }
        guard var known = devices else { return }
        // Records of one device mostly come together: few need more than a comparison.
        var last: ReplicaID?
        func note(_ author: ReplicaID?) {
            guard let author, author != last else { return }
            last = author
            if known.insert(author).inserted { wantsDevices = true }
        }
        for record in records {
            note(record.put?.stamp.replica)
            note(record.delete?.replica)
        }
        devices = known
    }
}
