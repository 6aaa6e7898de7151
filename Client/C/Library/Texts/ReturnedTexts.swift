internal import Glibc
internal import Synchronization

/// The texts that calls have returned and nobody has freed.
///
/// A pointer that is not among them is not freed: a caller that frees a text twice, or one of its own, gets an error.
enum ReturnedTexts {
    private static let addresses = Mutex<Set<UInt>>([])

    /// Copies bytes to a new text with a NUL at its end.
    ///
    /// - Returns: `nil` where there is no memory for it.
    static func text(of bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        guard let memory = malloc(bytes.count + 1) else { return nil }
        bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { memcpy(memory, start, bytes.count) }
        }
        memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        addresses.withLock { _ = $0.insert(UInt(bitPattern: memory)) }
        return memory.assumingMemoryBound(to: CChar.self)
    }

    /// Frees a text.
    ///
    /// - Returns: Whether it was one of these texts.
    static func free(_ text: UnsafeMutablePointer<CChar>) -> Bool {
        guard addresses.withLock({ $0.remove(UInt(bitPattern: text)) }) != nil else { return false }
        Glibc.free(text)
        return true
    }

    /// The number of texts that are not freed, for tests.
    static var count: Int { addresses.withLock { $0.count } }
}
