internal import Session

/// The bytes that a push may have, as long as the way to the server takes no larger body: learned from refusals and timeouts, kept for the
/// session, and raised again slowly.
struct BodyLimit {
    /// `nil` where no body was too large, or not any more.
    private(set) var most: Int?
    /// The limit that pushes have anyway.
    private let ceiling: Int
    /// Whether a program on the way refuses larger bodies, rather than that they take too long.
    private var isRefused = false
    /// Pushes in a row that were answered soon.
    private var quickAnswers = 0

    /// An answer within this time says that the way takes more.
    private static let quick = Duration.seconds(5)
    /// How many of them let the limit rise, after a timeout and after a refusal.
    private static let (quickAfterTimeout, quickAfterRefusal) = (2, 16)

    init(ceiling: Int) { self.ceiling = ceiling }

    /// Bodies up to here are too large for no link.
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
