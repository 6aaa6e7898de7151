/// Pages that the replica has not pulled yet, as stored in its state. Absent where it was up to date after its last pull.
enum PullProgress: Int64 {
    /// Pages are outstanding, and the replica has been up to date before.
    case some = 1
    /// The first pull is incomplete. The replica has never been up to date, and the outcome of its pushed changes is unknown.
    case first = 2
}
