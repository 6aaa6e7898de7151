internal import Replica
internal import RoostModel

extension SyncDriver {
    /// Notices records of a device that is new here: the journal should be able to say who.
    mutating func noteAuthors(_ records: [RecordState]) {
        guard !records.isEmpty else { return }
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
