internal import NIOCore
internal import NIOHTTP1
internal import RoostProtocol

/// A request as far as it has been read: its head, and a body that comes when it is asked for.
struct Request: Sendable {
    let head: HTTPRequestHead
    let target: RequestTarget
    let body: RequestBody
    /// The connection that it came on.
    let channel: any Channel

    init(_ head: HTTPRequestHead, _ body: RequestBody, _ channel: any Channel) {
        self.head = head
        self.body = body
        self.channel = channel
        target = RequestTarget(head.uri)
    }

    /// The value of a field; those of several lines follow each other, as RFC 9110 has it.
    ///
    /// Of ASCII, which is all that the fields of the protocol are made of: a byte beyond it reads as `?`, so that no code
    /// compares or splits text that Unicode has to normalise.
    subscript(_ name: String) -> String? {
        let values = head.headers[name]
        return values.isEmpty ? nil : values.joined(separator: ", ").inASCII
    }
}

/// The reply to a request.
struct Response: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer
    /// A body that is made while it is sent, in place of ``body``.
    var pieces: Pieces?
    /// The reply's share of what the server holds at once, until the system has taken all of it; `nil` for a small one.
    var share: ByteBudget.Share?

    struct Pieces: Sendable {
        var page: PagePieces
        /// Called with the number of records that could not be read, after the last piece.
        let end: @Sendable (_ unreadable: Int) -> Void
    }

    init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = ByteBuffer(bytes: body)
    }
}

extension String {
    /// The text with `?` for each byte beyond ASCII.
    var inASCII: String {
        utf8.allSatisfy { $0 < 0x80 }
            ? self : String(decoding: utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
