internal import NIOCore
internal import NIOHTTP1

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
    subscript(_ name: String) -> String? {
        let values = head.headers[name]
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// What a request is answered with.
struct Response: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer

    init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = ByteBuffer(bytes: body)
    }
}
