internal import Session

/// The limit of the bytes of a push on the way to the server. It is lowered by refusals and time-outs, kept for the session, and raised
/// again slowly.
struct BodyLimit {
    /// The limit; `nil` where no body was too large, or is not any more.
    private(set) var most: Int?
    /// The limit of all pushes.
    private let ceiling: Int
    /// Whether a proxy refuses larger bodies. Otherwise they take too long.
    private var isRefused = false
    /// Number of pushes in a row that were answered quickly.
    private var quickAnswers = 0

    /// Time of a quick answer, which suggests that the way accepts larger bodies.
    private static let quick = Duration.seconds(5)
    /// Number of quick answers that raise the limit, after a time-out and after a refusal.
    private static let (quickAfterTimeout, quickAfterRefusal) = (2, 16)

    init(ceiling: Int) { self.ceiling = ceiling }

    /// Size up to which a body is not too large for any link.
    var leastOnLink: Int { min(16 * 1024, ceiling / 16) }

    /// Lowers the limit after a body of `bytes` was refused for its size.
    mutating func refused(_ bytes: Int) { (most, isRefused, quickAnswers) = (max(1, bytes / 2), true, 0) }

    /// Lowers the limit after a body of `bytes` was not answered in time.
    mutating func timedOut(_ bytes: Int) { (most, quickAnswers) = (max(leastOnLink / 2, bytes / 4, 1), 0) }

    /// Raises the limit after some quick answers.
    mutating func answered(after time: Duration) {
        guard let limit = most else { return }
        quickAnswers = time < Self.quick ? quickAnswers + 1 : 0
        guard quickAnswers >= (isRefused ? Self.quickAfterRefusal : Self.quickAfterTimeout) else { return }
        quickAnswers = 0
        let raised = isRefused ? limit + max(1, limit / 4) : limit * 2
        most = raised < ceiling ? raised : nil
    }
}
