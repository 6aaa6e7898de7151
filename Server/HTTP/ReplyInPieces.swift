internal import NIOCore
internal import RoostProtocol

/// A reply that is made while it is sent: a page whose JSON would take many times the page's own memory.
struct ReplyInPieces {
    enum Step {
        case more([UInt8])
        case end
        /// The client receives the reply too slowly, or the page cannot be read. The connection is closed.
        case abandon
    }

    private var pieces: Response.Pieces
    let share: ByteBudget.Share?
    /// Whether the connection is closed after the reply.
    let isClosing: Bool
    /// Whether the whole request body arrived before the reply.
    let hasWhole: Bool
    private let begun = NIODeadline.now()
    private var sent = 0

    private static let pieceBytes = 128 * 1024

    init(pieces: Response.Pieces, share: ByteBudget.Share?, isClosing: Bool, hasWhole: Bool) {
        self.pieces = pieces
        self.share = share
        self.isClosing = isClosing
        self.hasWhole = hasWhole
    }

    mutating func next(_ now: NIODeadline, _ settings: HTTPSettings) -> Step {
        let seconds = (now - begun).nanoseconds / 1_000_000_000
        let isSlow = seconds > settings.requestSecondsMax && sent < settings.replyBytesPerSecondMin * Int(seconds)
        guard !isSlow else { return .abandon }
        do {
            guard let piece = try pieces.page.next(bytesMin: Self.pieceBytes) else {
                pieces.end(pieces.page.unreadable)
                return .end
            }
            sent += piece.count
            return .more(piece)
        } catch {
            return .abandon
        }
    }
}
