internal import RoostModel

/// The progress of a scrub, which checks the content of all records, with the sum computed so far.
struct ScrubProgress: Hashable {
    /// The key of the record that was checked last, as the file stores it. Before the first check it is lower than every key.
    var entity: Int64 = .min
    var id: [UInt8] = []
    /// The digest of the confirmed slots checked so far.
    var sum = ScopeDigest()
    /// The replica's digest when the scrub began.
    let digest: ScopeDigest

    init(digest: ScopeDigest) { self.digest = digest }

    /// Decodes the form of ``bytes``; `nil` for anything else.
    init?(bytes: [UInt8]) {
        guard bytes.count >= 40, let sum = ScopeDigest(bytes: bytes[8..<24]),
            let digest = ScopeDigest(bytes: bytes[24..<40])
        else { return nil }
        entity = Int64(bitPattern: bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        id = Array(bytes[40...])
        self.sum = sum
        self.digest = digest
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt64(bitPattern: entity))
        return bytes + sum.bytes + digest.bytes + id
    }
}
