internal import Replica
internal import Roost
internal import RoostModel

/// Synchronises once: `roost_sync` of `roost.h`.
@c(roost_sync)
public func synchronise(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_sync", json, length, out, outLength).answer(replica) { members, entry in
        var bounds = SyncBounds()
        if let limit = try members.timeout() { bounds.timeMax = limit }
        if let bytes = try members.integer("fileBytesMax", in: 1...Int64.max) { bounds.fileBytesMax = Int(bytes) }
        try members.end()
        return try entry.call { use in try entry.synchronise(use, bounds).form }
    }
}

/// Starts to keep the replica synchronised: `roost_live_start` of `roost.h`.
@c(roost_live_start)
public func startLive(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_live_start", json, length, out, outLength).answer(replica) { entry in
        try entry.startLive()
        return .nothing
    }
}

/// Stops live synchronisation: `roost_live_stop` of `roost.h`.
@c(roost_live_stop)
public func stopLive(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_live_stop", json, length, out, outLength).answer(replica) { entry in
        .members(("report", entry.stopLive()?.form ?? .null))
    }
}

/// Waits until the server and the replica have everything: `roost_synced` of `roost.h`.
@c(roost_synced)
public func waitUntilSynced(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_synced", json, length, out, outLength).answer(replica) { members, entry in
        let limit = try members.timeout() ?? .seconds(60)
        try members.end()
        return try entry.call { use in
            let action = "wait for the server"
            if let session = entry.session {
                try entry.waits.wait(upTo: limit, action) { try await session.synced() }
                return .nothing
            }
            var bounds = SyncBounds()
            bounds.timeMax = limit
            let deadline = ContinuousClock.now.advanced(by: limit)
            let report = try entry.synchronise(use, bounds)
            guard !report.isUpToDate else { return .nothing }
            let message = "Cannot \(action): \(report.state)"
            guard report.isTemporary else { throw CallError(.refused, "blocked", message) }
            throw ContinuousClock.now >= deadline
                ? CallError(.timeout, "timeout", message) : CallError(.unavailable, "unavailable", message)
        }
    }
}

extension ReplicaEntry {
    /// Synchronises once.
    ///
    /// - Throws: ``CallError`` with the kind `cancelled` where the call was cancelled; otherwise as `Replica.synchronise`.
    fileprivate func synchronise(_ use: Use, _ bounds: SyncBounds) throws -> SyncReport {
        let report = try waits.wait("synchronise") { try await use.replica.synchronise(bounds: bounds) }
        guard !report.isRequested else {
            throw CallError(.cancelled, "cancelled", "Cannot synchronise: the call was cancelled.")
        }
        return report
    }
}

extension SyncReport {
    /// The report as a JSON object.
    fileprivate var form: JSONValue { json + .members(("isTemporary", .boolean(isTemporary))) }
}
