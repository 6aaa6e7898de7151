internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// A page, from its request until it is in the replica.
///
/// At most one page is in flight. It is applied only where the replica is still at the checkpoint that the request named.
struct PullInFlight {
    /// A request, as it was when it was sent.
    private struct Asked {
        /// ``PushInFlight/steps``.
        var step: Int
        /// Whether no push was sealed.
        var isQuiet: Bool
    }

    /// How often a page waits for pushes. One that gets no answer must not hold deletes of other devices back forever.
    private static let timesOvertakenMax = 3

    /// The checkpoint that the request named.
    private(set) var start = PageStart.anywhere
    /// The page that has arrived.
    private(set) var page: PullReply?
    /// The version of the schema that the page needs.
    var schemaVersion = 0
    /// The records that are sent to a server that has lost them.
    var recovering: [RecordState] = []
    private var bounds: PullBounds
    private var asked: Asked?
    /// Whether the page came with the reply to a push that is not written down yet.
    private var isWithReply = false
    /// The report of a page that was applied with the reply that it came with.
    private var applied: (checkpoint: [UInt8], report: ApplyReport)?
    /// How many pages in a row were not applied because of the records that they say were purged.
    private var timesOvertaken = 0

    init(bytesMax: Int) { bounds = PullBounds(bytesMax: bytesMax) }

    // MARK: Request and page

    /// Records a pull that is about to be sent.
    mutating func ask(from start: PageStart, step: Int, isQuiet: Bool) {
        self.start = start
        asked = Asked(step: step, isQuiet: isQuiet)
        isWithReply = false
    }

    /// Records that a page is asked for with a push.
    mutating func askWithPush(from start: PageStart) { self.start = start }

    /// Records that another push is sent, or another one has the number of the push in flight.
    mutating func pushChanged() { isWithReply = false }

    /// Keeps a page that was pulled, unless it exceeds a bound.
    ///
    /// - Returns: The bound that it exceeds.
    mutating func receive(_ page: PullReply) -> StopReason? {
        let reason = bounds.refuse(page)
        if reason == nil { self.page = page }
        return reason
    }

    /// Keeps a page that came with the reply to a push.
    mutating func receive(_ page: PullReply, withReplyAt step: Int) {
        self.page = page
        isWithReply = true
        asked = Asked(step: step, isQuiet: false)
    }

    /// Records that the reply is written down that a page may have come with. The server made the page after the push, so that both sides
    /// can be compared from then on.
    mutating func replyAcknowledged(step: Int) {
        if isWithReply { asked = Asked(step: step, isQuiet: true) }
        isWithReply = false
    }

    /// Discards the page, which the server made for the former identity.
    mutating func renewIdentity() { (page, applied) = (nil, nil) }

    // MARK: Page that came with a reply

    /// The page that came with the reply, where it contains only a checkpoint: the reply's transaction can apply it.
    var emptyPage: EmptyPage? {
        guard isWithReply, let page, page.records.isEmpty, page.purged.isEmpty, !page.hasMore,
            let since = start.checkpoint
        else { return nil }
        return EmptyPage(since: since, checkpoint: page.checkpoint.bytes, serverTime: page.serverTime)
    }

    /// Keeps the report of a page that the reply's transaction has applied.
    mutating func keep(_ report: ApplyReport, of page: EmptyPage) { applied = (page.checkpoint, report) }

    // MARK: Application

    /// Hands out the page that is to be applied.
    mutating func take() -> PullReply? {
        defer { page = nil }
        return page
    }

    /// Whether a push overlaps the pull whose page names purged records. It is not known then whether the purge followed what the push
    /// stored, or came before it (protocol.md §7.2).
    mutating func isOvertaken(_ page: PullReply, step: Int, isPushUnheard: Bool) -> Bool {
        guard !page.purged.isEmpty, let asked, asked.step != step || isPushUnheard,
            timesOvertaken < Self.timesOvertakenMax
        else {
            timesOvertaken = 0
            return false
        }
        timesOvertaken += 1
        return true
    }

    /// Applies a page, unless the reply that it came with has applied it.
    mutating func apply(_ page: PullReply, to replica: Replica) throws -> ApplyReport {
        try bounds.requireRoom(for: page, in: replica)
        let report =
            try takeReport(of: page, replica)
            ?? replica.apply(
                page.records, purged: page.purged, since: start, checkpoint: page.checkpoint.bytes,
                serverTime: page.serverTime, isLast: !page.hasMore)
        if !report.isOvertaken { bounds.applied(report, of: page) }
        return report
    }

    private mutating func takeReport(of page: PullReply, _ replica: Replica) throws -> ApplyReport? {
        defer { applied = nil }
        guard let applied, page.records.isEmpty, page.purged.isEmpty, applied.checkpoint == page.checkpoint.bytes,
            try replica.checkpoint() == applied.checkpoint
        else { return nil }
        return applied.report
    }

    /// Whether the digest of the page can be compared with the replica's. A push that overlaps the pull may be in one digest and not in
    /// the other (protocol.md §7.5).
    func isComparable(step: Int) -> Bool { asked.map { $0.isQuiet && $0.step == step } ?? false }
}
