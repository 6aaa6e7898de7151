internal import RoostMerge
package import RoostModel
package import RoostProtocol

/// A request that brings records back, read and checked as far as that needs no store.
package struct PreparedRecovery: Sendable {
    /// The records' slots, as changes.
    let changes: [PreparedPush.Change]
    /// The number of records.
    let count: Int

    /// The greatest milliseconds of its stamps.
    var newest: UInt64 { changes.lazy.map(\.change.stamp.milliseconds).max() ?? 0 }

    /// Reads a body.
    ///
    /// - Throws: A refusal of the whole request.
    package init(_ body: [UInt8], as type: MediaType, _ names: RecordJSON, limits: Limits) throws(ProtocolError) {
        let request: RecoverRequest
        do {
            request = try RecoverRequest(body, as: type, names, recordsMax: limits.recordsPerRecoverMax)
        } catch {
            throw ProtocolError(error.code, "Cannot read the records: \(error.reason)")
        }
        var changes: [PreparedPush.Change] = []
        for record in request.records {
            if let put = record.put {
                if let fault = PutCheck.refusal(of: put.encoded, limits: limits, form: .readable) {
                    throw ProtocolError(
                        fault.code, "Cannot bring record \(record.key) back: \(fault.reason). Leave it out.")
                }
                changes.append(
                    .init(Change(key: record.key, stamp: put.stamp, kind: .put(put.encoded, base: put.base))))
            }
            if let delete = record.delete {
                changes.append(.init(Change(key: record.key, stamp: delete, kind: .delete)))
            }
        }
        self.changes = changes
        count = request.records.count
    }

    /// Checks the stamps of all changes.
    ///
    /// - Throws: ``ErrorCode/clockAhead`` for a stamp that the server could not have stored.
    func checkStamps(_ clock: ServerClock, limits: Limits) throws(ProtocolError) {
        let bound = StampBound(clock, limits)
        for change in changes {
            let key = change.change.key
            if let fault = bound.fault(of: change.change.stamp, "Cannot bring record \(key) back") { throw fault }
        }
    }
}
