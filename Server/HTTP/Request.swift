internal import NIOCore
internal import NIOHTTP1
internal import RoostProtocol

/// A request as far as it has been read: its head, and a body that is read on demand.
struct Request: Sendable {
    let head: HTTPRequestHead
    let target: RequestTarget
    let body: RequestBody
    /// The connection of the request.
    let channel: any Channel

    init(_ head: HTTPRequestHead, _ body: RequestBody, _ channel: any Channel) {
        self.head = head
        self.body = body
        self.channel = channel
        target = RequestTarget(head.uri)
    }

    /// The value of a field. The values of repeated fields are joined as in RFC 9110.
    ///
    /// All fields of the protocol are ASCII, so any other byte is read as `?`. Then no code compares or splits text that
    /// Unicode has to normalise.
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
    /// The reply's share of the bytes that the server may hold, until the operating system has taken the whole reply; `nil`
    /// for a small one.
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
