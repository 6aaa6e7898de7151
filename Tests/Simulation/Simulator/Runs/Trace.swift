/// A running hash of all events: equal seeds give equal hashes.
package struct Trace: Hashable, Sendable {
    /// The hash, FNV-1a with 64 bits.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The events in words, kept only on request.
    package private(set) var lines: [String] = []
    let keepsLines: Bool

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    mutating func note(_ text: @autoclosure () -> String, _ bytes: [UInt8] = []) {
        let text = text()
        for byte in text.utf8 { mix(byte) }
        for byte in bytes { mix(byte) }
        if keepsLines { lines.append(text) }
    }

    private mutating func mix(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
