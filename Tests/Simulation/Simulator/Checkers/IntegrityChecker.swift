internal import RoostModel

/// I19: no replica reports a difference from the server without a reason. Simulated disks lose and tear writes, and flip no
/// bytes.
struct IntegrityChecker {
    /// Devices whose file may be older than before. With nothing to push, only the digest reveals this: the server does not
    /// send them their own earlier pushes, and they resynchronise fully.
    private var olderFiles: Set<Int> = []

    mutating func mayBeOlder(_ device: Int) { olderFiles.insert(device) }

    /// - Parameter isExplained: Returns whether an operation on the server explains a difference.
    func check(_ view: ReplicaView, device: Int, isExplained: () -> Bool) throws {
        guard !olderFiles.contains(device) else { return }
        for event in view.events where event.kind == "integrity" && !isExplained() {
            throw Violation(.integrity, "replica \(device): \(event.text)")
        }
    }
}
