import Replica

extension ServedScope {
    /// Makes replica files of other devices. A separate process does the first pull of each.
    ///
    /// - Returns: The path of each file, and the cost of its pull.
    func joinAndPull(
        _ names: [String]
    ) async throws -> [(path: String, pull: (seconds: Double, peakBytes: Double))] {
        var joined: [(path: String, pull: (seconds: Double, peakBytes: Double))] = []
        for name in names {
            let replica = try await join(name)
            try replica.close()
            joined.append((replica.path, try await SyncCommand.run(replica.path, durability, context)))
        }
        return joined
    }
}
