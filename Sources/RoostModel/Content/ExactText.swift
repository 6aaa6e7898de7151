internal import Foundation

/// A text that equals another one only if both have equal bytes of UTF-8.
///
/// `String` compares by canonical equivalence: é in one scalar equals é in two. SQLite, the wire and content hashes compare
/// bytes, so a key made of content has to compare bytes too.
package struct ExactText: Hashable, Comparable, Sendable {
    /// The text.
    package let text: String

    /// Makes a key of a text.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isSameText(as: right.text) }
    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// Compares bytes, as SQLite does.
    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension String {
    /// Whether both texts have equal bytes of UTF-8.
    ///
    /// Use this in place of `==`, which normalises both texts up to their first difference. That takes time that grows with
    /// the square of a run of combining marks. Untrusted text is compared, hashed and looked up by its bytes only.
    package func isSameText(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { right in left.isSame(as: right) } }
    }

    /// Feeds the text's bytes of UTF-8 to a hasher.
    package func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8 is 255: this byte keeps ["ab", "c"] apart from ["a", "bc"].
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
    /// Makes the case of an untrusted text; `nil` for a text that is not ASCII or longer than any case. Such a text is not
    /// compared with any case.
    package init?(foreign text: String) {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: text)
    }
}

extension String? {
    /// Whether both are nil, or have equal bytes of UTF-8.
    package func isSameText(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let text?, let other?): text.isSameText(as: other)
        default: false
        }
    }
}
