internal import CCurl

/// A body that libcurl reads piece by piece, once it is known.
struct Upload {
    private let body: PendingBody
    private var sent = 0

    init(body: PendingBody) {
        self.body = body
    }

    /// Reads the next piece.
    ///
    /// - Returns: The number of bytes written into `room`, 0 at the end of the body, or `CURL_READFUNC_PAUSE` if the
    ///   body is not known yet.
    mutating func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let bytes = body.bytes else { return Int(CURL_READFUNC_PAUSE) }
        let count = min(room.count, bytes.count - sent)
        bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return count
    }

    mutating func rewind() { sent = 0 }
}
