internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// Counts the pages and records of one pull, from its first page to its last. A server that sends endless pages must neither keep a
/// device busy nor fill its disk.
struct PullBounds: Sendable {
    /// Maximum number of pages in a row that change nothing. A server leaves out the replica's own changes, and lists purged records by
    /// the thousand: with a million records in a scope, that is at most some hundred pages.
    static let idlePagesMax = 2000
    /// Maximum number of pages of one pull. A large scope has some thousand pages of the minimum size.
    static let pagesMax = 100_000
    /// Bytes of records between two checks of the file's size.
    private static let bytesBetweenLooks = 16 << 20
    /// Bytes of a record in addition to its put: keys, stamps and entries of the file.
    private static let bytesBeside = 100

    /// Bytes of the replica file, and of the records of one pull.
    let bytesMax: Int
    private var idlePages = 0
    private var pages = 0
    private var bytes = 0
    private var bytesUnseen = Self.bytesBetweenLooks

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Counts a page that has arrived.
    ///
    /// - Returns: The reason to stop the pull, if any. Counting then starts again.
    mutating func refuse(_ page: PullReply) -> StopReason? {
        guard page.hasMore else {
            reset()
            return nil
        }
        pages += 1
        bytes += Self.size(page)
        let reason: StopReason? =
            if idlePages >= Self.idlePagesMax || pages > Self.pagesMax {
                StopReason(.incompatible, Self.endless(pages: pages))
            } else if bytes > bytesMax {
                StopReason(.tooLarge, Self.tooMuch(bytes: bytes, bytesMax))
            } else {
                nil
            }
        if reason != nil { reset() }
        return reason
    }

    /// Refuses a page where the file has reached its maximum size.
    mutating func requireRoom(for page: PullReply, in replica: Replica) throws {
        bytesUnseen += Self.size(page)
        guard bytesUnseen >= Self.bytesBetweenLooks, !page.records.isEmpty || !page.purged.isEmpty else { return }
        let used = try replica.bytesInUse()
        guard used < bytesMax else {
            throw SyncFailure.limitReached(StopReason(.tooLarge, Self.full(bytes: used, bytesMax)))
        }
        bytesUnseen = 0
    }

    /// Counts the effects of a page.
    mutating func applied(_ report: ApplyReport, of page: PullReply) {
        // During a full resynchronisation, records are kept separately, and count neither as new nor as repeated.
        let isIdle = report.applied == 0 && report.forgotten == 0 && report.repeated == page.records.count
        idlePages = page.hasMore && isIdle ? idlePages + 1 : 0
    }

    private mutating func reset() { (idlePages, pages, bytes) = (0, 0, 0) }

    private static func size(_ page: PullReply) -> Int {
        page.records.reduce(page.purged.count * bytesBeside) { $0 + bytesBeside + ($1.put?.encoded.count ?? 0) }
    }

    private static func endless(pages: Int) -> String {
        "Cannot use the server's answers: it sends one page after another, \(pages) so far, and does not come to an end. "
            + "Check that the address is that of a Roost server."
    }

    private static func tooMuch(bytes: Int, _ bytesMax: Int) -> String {
        "Cannot pull: the server has sent \(bytes >> 20) MiB of records and does not come to an end, the limit is "
            + "\(bytesMax >> 20) MiB. Check the address, or raise the limit (--file-limit of roost and roostd)."
    }

    private static func full(bytes: Int, _ bytesMax: Int) -> String {
        "Cannot pull: the replica file has \(bytes >> 20) MiB, the limit is \(bytesMax >> 20) MiB. Check what fills the "
            + "scope, or raise the limit (--file-limit of roost and roostd)."
    }
}
