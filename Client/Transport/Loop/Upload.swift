internal import CCurl

/// A body that libcurl asks for piece by piece, once it is known.
struct Upload {
    private let body: PendingBody
    private var sent = 0

    init(body: PendingBody) {
        self.body = body
    }

    /// - Returns: How many bytes were written into `room`, 0 for the end; or that libcurl is to wait until it is told to go on.
    mutating func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let bytes = body.bytes else { return Int(CURL_READFUNC_PAUSE) }
        let count = min(room.count, bytes.count - sent)
        bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return count
    }

    mutating func rewind() { sent = 0 }
}
