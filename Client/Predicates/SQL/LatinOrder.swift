internal import Foundation

/// The order of ``NameOrder`` for the letters of most European languages, from a table. Most names need nothing else, and
/// Foundation takes about twenty times as long.
enum LatinOrder {
    /// The collation weight: letters first, then accents, then case; 0 for scalars outside the table.
    private struct Weight {
        var primary: UInt8 = 0
        var secondary: UInt8 = 0
        var tertiary: UInt8 = 0
    }

    /// Letters in root order; each represents its capital too.
    private static let characters = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
    /// Combining accents, in root order.
    private static let accents: [UInt32] = [
        0x301, 0x300, 0x306, 0x302, 0x30C, 0x30A, 0x308, 0x30B, 0x303, 0x307, 0x327, 0x328, 0x304,
    ]

    /// Weights by scalar, up to the end of Latin Extended-A.
    private static let weights: [Weight] = {
        var weights = [Weight](repeating: Weight(), count: 0x180)
        for (index, scalar) in characters.unicodeScalars.enumerated() {
            let primary = UInt8(index + 1)
            weights[Int(scalar.value)] = Weight(primary: primary)
            guard let capital = scalar.properties.uppercaseMapping.unicodeScalars.first, capital != scalar else {
                continue
            }
            weights[Int(capital.value)] = Weight(primary: primary, tertiary: 1)
        }
        for value in UInt32(0x80)..<0x180 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
            guard parts.count == 2, parts[0].value < 0x80, let accent = accents.firstIndex(of: parts[1].value) else {
                continue
            }
            weights[Int(value)] = weights[Int(parts[0].value)]
            weights[Int(value)].secondary = UInt8(accent + 1)
        }
        return weights
    }()

    /// - Returns: `nil` if the table cannot decide.
    static func compare(_ left: String, _ right: String) -> ComparisonResult? {
        let order = left.utf8.withContiguousStorageIfAvailable { first in
            right.utf8.withContiguousStorageIfAvailable { second in bytesOrder(first, second) }
        }
        return (order ?? nil) ?? nil
    }

    private static func bytesOrder(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult? {
        var offsets = (0, 0)
        var secondary = ComparisonResult.orderedSame
        var tertiary = ComparisonResult.orderedSame
        while offsets.0 < left.count, offsets.1 < right.count {
            guard let first = weight(left, &offsets.0), let second = weight(right, &offsets.1) else { return nil }
            guard first.primary == second.primary else { return order(first.primary, second.primary) }
            if secondary == .orderedSame { secondary = order(first.secondary, second.secondary) }
            if tertiary == .orderedSame { tertiary = order(first.tertiary, second.tertiary) }
        }
        // The next scalar of the longer text could be an accent outside the table.
        if offsets.0 < left.count { return weight(left, &offsets.0).map { _ in .orderedDescending } }
        if offsets.1 < right.count { return weight(right, &offsets.1).map { _ in .orderedAscending } }
        return secondary == .orderedSame ? tertiary : secondary
    }

    private static func weight(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> Weight? {
        var scalar = Int(bytes[offset])
        offset += 1
        if scalar >= 0x80 {
            guard scalar >= 0xC2, scalar <= 0xC5, offset < bytes.count else { return nil }
            scalar = (scalar & 0x1F) << 6 | Int(bytes[offset] & 0x3F)
            offset += 1
        }
        let weight = weights[scalar]
        return weight.primary == 0 ? nil : weight
    }

    private static func order(_ left: UInt8, _ right: UInt8) -> ComparisonResult {
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
}
