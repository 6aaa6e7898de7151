internal import RoostModel

/// A heuristic that tells corruption of a row from a write of another program that bypassed the triggers, such as one through
/// SQLite's incremental blobs. It compares the row with the content that the server has.
///
/// SQLite has no checksums, so both look alike: the row holds another content than the confirmed one. A disk loses a byte, turns
/// a run of bytes into zeros, or stores a wrong length. A program writes a value that makes sense.
enum DamageSign {
    /// Returns whether the difference of two puts looks like corruption.
    ///
    /// - Parameters:
    ///   - held: The put to which the row encodes.
    ///   - original: The confirmed put.
    static func isShown(by held: [UInt8], insteadOf original: [UInt8]) -> Bool {
        guard let held = try? Put(encoded: held), let original = try? Put(encoded: original),
            let values = try? ContentCoding.decode(held.content),
            let originals = try? ContentCoding.decode(original.content)
        else { return true }
        var pairs: [Pair?] = []
        let before = Dictionary(originals.map { ($0.property, $0.value) }) { first, _ in first }
        let now = Dictionary(values.map { ($0.property, $0.value) }) { first, _ in first }
        for property in Set(before.keys).union(now.keys) {
            let (was, value) = (before[property] ?? .null, now[property] ?? .null)
            if was != value { pairs.append(bytes(was, value)) }
        }
        let targets = Dictionary(original.references.map { ($0.relationship, $0.target) }) { first, _ in first }
        for reference in held.references where targets[reference.relationship] != reference.target {
            pairs.append(targets[reference.relationship].map { Pair($0.bytes, reference.target.bytes) })
        }
        // A wrong length in a row's header truncates a value, or extends it into the next one, and shifts all values after it.
        if pairs.count > 1, pairs.contains(where: { $0?.isCut ?? true }) { return true }
        return pairs.allSatisfy { pair in pair?.isDamaged ?? false }
    }

    /// Returns two values of one type as bytes; `nil` where their types differ, or have no byte form to compare.
    private static func bytes(_ was: Value, _ value: Value) -> Pair? {
        func big(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        switch (was, value) {
        case (.string(let was), .string(let value)): return Pair(Array(was.utf8), Array(value.utf8))
        case (.data(let was), .data(let value)): return Pair(was, value)
        case (.integer(let was), .integer(let value)):
            return Pair(big(UInt64(bitPattern: was)), big(UInt64(bitPattern: value)), isNumber: true)
        case (.double(let was), .double(let value)):
            return Pair(big(was.bitPattern), big(value.bitPattern), isNumber: true)
        default: return nil
        }
    }

    /// The confirmed and the stored bytes of one value.
    private struct Pair {
        let was: [UInt8]
        let value: [UInt8]
        let isNumber: Bool

        init(_ was: [UInt8], _ value: [UInt8], isNumber: Bool = false) {
            self.was = was
            self.value = value
            self.isNumber = isNumber
        }

        /// Whether one value is a proper prefix of the other.
        var isCut: Bool { was.count != value.count && (was.starts(with: value) || value.starts(with: was)) }

        var isDamaged: Bool {
            guard was.count == value.count else { return value.count < was.count && was.starts(with: value) }
            let differing = zip(was, value).filter { $0 != $1 }
            // A number that a program writes differs in one byte as often as not; in one bit, seldom.
            if isNumber, differing.count == 1 { return differing.allSatisfy { ($0 ^ $1).nonzeroBitCount == 1 } }
            return differing.count <= 1 || differing.allSatisfy { $1 == 0 } || differing.allSatisfy { $1 == 0xFF }
        }
    }
}
