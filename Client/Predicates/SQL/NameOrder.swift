package import Foundation
internal import RoostModel

/// The dictionary order of names, equal on every device: É next to E, capitals next to small letters.
///
/// It is Unicode's root collation: first by letters, then by accents, then by case.
package enum NameOrder {
    // The locale "en" has no tailoring of the root order.
    private static let locale = Locale(identifier: "en")

    /// A total order: texts with equal collation keys are ordered by their bytes, so only identical texts are equal.
    @Sendable package static func compare(_ left: String, _ right: String) -> ComparisonResult {
        if let order = LatinOrder.compare(left, right) { return order }
        let order = left.streamSafe.compare(right.streamSafe, options: [], range: nil, locale: locale)
        guard order == .orderedSame else { return order }
        if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? .orderedAscending : .orderedDescending
    }
}
