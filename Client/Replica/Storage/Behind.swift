/// What the server has and the replica has not pulled, as the replica's state says it; nothing where it was up to date last.
enum Behind: Int64 {
    /// Pages that came after it was up to date.
    case some = 1
    /// Pages of its first pull: it has never been up to date, and nobody told it what became of what it has pushed.
    case first = 2
}
