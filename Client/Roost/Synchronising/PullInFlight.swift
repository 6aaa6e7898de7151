internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// A page, from its request until it is in the replica.
///
/// At most one page is in flight, and at most one request ahead of it. A page is applied only where the replica is still at the checkpoint that the request named.
struct PullInFlight {
    /// A request, as it was when it was sent.
    private struct Asked {
        /// ``PushInFlight/steps``.
        var step: Int
        /// Whether no push was sealed.
        var isQuiet: Bool
    }

    /// Maximum number of waits of a page for pushes. A push without an answer must not hold back deletes of other devices forever.
    private static let timesSupersededMax = 3

    /// The checkpoint that the request named.
    private(set) var start = PageStart.anywhere
    /// The page that has arrived.
    private(set) var page: PullReply?
    /// The version of the schema that the page needs.
    var schemaVersion = 0
    /// The records that are sent to a server that has lost them.
    var recovering: [RecordState] = []
    /// The failure after a reply's transaction has applied the page.
    var failure: (any Error)?
    private var bounds: PullBounds
    private var asked: Asked?
    /// The request of the next page, while the present page is being applied.
    private var next: (start: PageStart, asked: Asked)?
    /// Whether the request under way was sent before the preceding page was applied.
    private(set) var isAhead = false
    /// Whether the page came with a reply to a push that is not stored yet.
    private var isWithReply = false
    /// Number of pages in a row that were not applied because of the purged records that they name.
    private var timesSuperseded = 0

    init(bytesMax: Int) { bounds = PullBounds(bytesMax: bytesMax) }

    // MARK: Request and page

    /// Records a pull that is about to be sent.
    mutating func ask(from start: PageStart, step: Int, isQuiet: Bool) {
        self.start = start
        asked = Asked(step: step, isQuiet: isQuiet)
        (isWithReply, next, isAhead) = (false, nil, false)
    }

    /// Records that the page after the present one is about to be requested.
    ///
    /// - Returns: The checkpoint of the present page; `nil` where there is none.
    mutating func askAhead(step: Int, isQuiet: Bool) -> [UInt8]? {
        guard let checkpoint = page?.checkpoint.bytes else { return nil }
        next = (.checkpoint(checkpoint), Asked(step: step, isQuiet: isQuiet))
        isAhead = true
        return checkpoint
    }

    /// Records that the page is in the replica. From now on, the page in flight is the one that was requested ahead.
    mutating func pageIsApplied() {
        guard let next else { return }
        (start, asked) = next
        self.next = nil
    }

    /// Records that the request under way was answered, or is obsolete.
    mutating func endRequest() { (next, isAhead) = (nil, false) }

    /// Records that a page is requested with a push.
    mutating func askWithPush(from start: PageStart) { self.start = start }

    /// Records that another push is sent, or another one has the number of the push in flight.
    mutating func pushChanged() { isWithReply = false }

    /// Keeps a page that was pulled, unless it exceeds a bound.
    ///
    /// - Returns: The bound that it exceeds.
    mutating func receive(_ page: PullReply) -> StopReason? {
        let reason = bounds.refuse(page)
        if reason == nil { (self.page, failure) = (page, nil) }
        return reason
    }

    /// Keeps a page that came with the reply to a push.
    mutating func receive(_ page: PullReply, withReplyAt step: Int) {
        (self.page, failure) = (page, nil)
        isWithReply = true
        asked = Asked(step: step, isQuiet: false)
    }

    /// Records that a reply is stored, which the page may have come with. The server made the page after the push, so both sides can be
    /// compared from then on.
    mutating func replyAcknowledged(step: Int) {
        if isWithReply { asked = Asked(step: step, isQuiet: true) }
        isWithReply = false
    }

    /// Discards the page, which the server made for the former identity.
    mutating func renewIdentity() {
        drop()
        endRequest()
    }

    // MARK: Page that came with a reply

    /// The page that came with the reply, where it contains only a checkpoint: the reply's transaction can apply it.
    var emptyPage: EmptyPage? {
        guard isWithReply, let page, page.records.isEmpty, page.purged.isEmpty, !page.hasMore,
            let since = start.checkpoint
        else { return nil }
        return EmptyPage(since: since, checkpoint: page.checkpoint.bytes, serverTime: page.serverTime)
    }

    // MARK: Application

    /// Hands out the page that is to be applied.
    ///
    /// - Throws: The failure after a reply's transaction has applied the page.
    mutating func consumePage() throws -> PullReply? {
        defer { drop() }
        if let failure { throw failure }
        return page
    }

    /// Discards the page.
    mutating func drop() { (page, failure) = (nil, nil) }

    /// Whether a push overlaps a pull whose page names purged records. The purge may have come before or after the push
    /// (protocol.md §7.2).
    mutating func isSuperseded(_ page: PullReply, step: Int, isPushUnheard: Bool) -> Bool {
        guard !page.purged.isEmpty, let asked, asked.step != step || isPushUnheard,
            timesSuperseded < Self.timesSupersededMax
        else {
            timesSuperseded = 0
            return false
        }
        timesSuperseded += 1
        return true
    }

    /// Applies a page.
    mutating func apply(_ page: PullReply, to replica: Replica) throws -> ApplyReport {
        try bounds.requireRoom(for: page, in: replica)
        let report = try replica.apply(
            page.records, purged: page.purged, since: start, checkpoint: page.checkpoint.bytes,
            serverTime: page.serverTime, isLast: !page.hasMore)
        if !report.isOvertaken { bounds.applied(report, of: page) }
        return report
    }

    /// Whether the digest of the page can be compared with the replica's. A push that overlaps the pull may be in one digest and not in
    /// the other (protocol.md §7.5).
    func isComparable(step: Int) -> Bool { asked.map { $0.isQuiet && $0.step == step } ?? false }
}
