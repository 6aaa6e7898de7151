internal import RoostModel

/// I16: in the end no two files have the same identity, also where one was a copy of the other.
enum CopiesChecker {
    static func check(_ views: [ReplicaView]) throws {
        var seen: Set<ReplicaID> = []
        for view in views where !seen.insert(view.replica).inserted {
            throw Violation(.copies, "two files have the identity \(view.replica) in the end")
        }
    }
}
