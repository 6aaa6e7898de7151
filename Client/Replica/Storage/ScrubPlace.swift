internal import RoostModel

/// How far a look at all contents has come, and what it adds up.
struct ScrubPlace: Hashable {
    /// The record that was looked at last, as the file has it; below all others before the first.
    var entity: Int64 = .min
    var id: [UInt8] = []
    /// Of the confirmed slots so far.
    var sum = ScopeDigest()
    /// The replica's digest when it began.
    let digest: ScopeDigest

    init(digest: ScopeDigest) { self.digest = digest }

    /// Reads what ``bytes`` has written; `nil` for anything else.
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
