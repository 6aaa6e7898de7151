internal import RoostModel

/// I19: no replica finds that it differs from the server without a reason: disks lose and tear here, and flip no bytes.
struct IntegrityChecker {
    /// Devices whose file may be older than it was. With nothing to push, only the digest tells them: the server does not send
    /// them what they had pushed themselves, and they pull everything anew.
    private var olderFiles: Set<Int> = []

    mutating func mayBeOlder(_ device: Int) { olderFiles.insert(device) }

    /// - Parameter isExplained: Whether what was done to the server explains a difference.
    func check(_ view: ReplicaView, device: Int, isExplained: () -> Bool) throws {
        guard !olderFiles.contains(device) else { return }
        for event in view.events where event.kind == "integrity" && !isExplained() {
            throw Violation(.integrity, "replica \(device): \(event.text)")
        }
    }
}
