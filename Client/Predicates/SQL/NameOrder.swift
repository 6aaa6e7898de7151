package import Foundation
internal import RoostModel

/// The order of names as a dictionary has it, the same on every device: É beside E, capitals beside small letters.
///
/// It is the root order of Unicode: first by letters, then by accents, then by case.
package enum NameOrder {
    // "en" changes nothing in the root order.
    private static let locale = Locale(identifier: "en")

    /// A total order: two texts are the same only if their bytes are, and bytes decide between those that sort alike.
    @Sendable package static func compare(_ left: String, _ right: String) -> ComparisonResult {
        if let order = LatinOrder.compare(left, right) { return order }
        let order = left.streamSafe.compare(right.streamSafe, options: [], range: nil, locale: locale)
        guard order == .orderedSame else { return order }
        if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? .orderedAscending : .orderedDescending
    }
}
