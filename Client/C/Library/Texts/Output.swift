internal import RoostModel

/// The two pointers through which a call returns its JSON.
struct Output {
    private let text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    private let length: UnsafeMutablePointer<Int>?

    init(_ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?) {
        self.text = text
        self.length = length
    }

    /// Runs a call, and returns its result or its error.
    ///
    /// - Returns: 0, or the class of the error.
    func answer(_ body: () throws -> JSONValue) -> Int32 {
        guard let text, let length else { return ErrorKind.misuse.rawValue }
        (text.pointee, length.pointee) = (nil, 0)
        guard !OwnProcess.isOther else {
            // A fork may have been made while another thread held a lock: nothing that needs one is touched.
            (text.pointee, length.pointee) = (OwnProcess.refusal.text, OwnProcess.refusal.length)
            return ErrorKind.forked.rawValue
        }
        var status: Int32 = 0
        var bytes: [UInt8]
        do {
            bytes = try body().encoded
        } catch {
            let error = CallError(error)
            status = error.kind.rawValue
            bytes = error.json.encoded
        }
        guard let copy = ReturnedTexts.text(of: bytes) else { return ErrorKind.internal.rawValue }
        (text.pointee, length.pointee) = (copy, bytes.count)
        return status
    }
}
