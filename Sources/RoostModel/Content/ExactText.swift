internal import Foundation

/// A text that equals another one only where both have the same bytes of UTF-8.
///
/// `String` compares by canonical equivalence: é in one scalar equals é in two. SQLite, the wire and content hashes compare bytes, so that
/// a key made of content has to do the same.
package struct ExactText: Hashable, Comparable, Sendable {
    /// The text itself.
    package let text: String

    /// Makes a key of a text.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isSameText(as: right.text) }
    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// The order of the bytes, as in SQLite.
    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension String {
    /// Whether both texts have the same bytes of UTF-8.
    ///
    /// Never `==`: that normalises both texts up to their first difference, in time that grows with the square of a run of combining
    /// marks. Text of other people is compared, hashed and looked up by its bytes only.
    package func isSameText(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { right in left.isSame(as: right) } }
    }

    /// Feeds the bytes of UTF-8 to a hasher.
    package func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8 is 255: it keeps ["ab", "c"] apart from ["a", "bc"].
        hasher.combine(0xFF as UInt8)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func isSame(as other: Self) -> Bool {
        guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else {
            return count == other.count
        }
        return memcmp(start, otherStart, count) == 0
    }
}

extension RawRepresentable where RawValue == String {
    /// The case of a text of other people; `nil` for a text that is not ASCII or longer than any case, which is not compared with any.
    package init?(foreign text: String) {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: text)
    }
}

extension String? {
    /// Whether both are nil, or texts of the same bytes of UTF-8.
    package func isSameText(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let text?, let other?): text.isSameText(as: other)
        default: false
        }
    }
}
