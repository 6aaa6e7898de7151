internal import RoostModel

/// I16: in the end all files have different identities, also a file and its copy.
enum CopiesChecker {
    static func check(_ views: [ReplicaView]) throws {
        var seen: Set<ReplicaID> = []
        for view in views where !seen.insert(view.replica).inserted {
            throw Violation(.copies, "two files have the identity \(view.replica) in the end")
        }
    }
}
