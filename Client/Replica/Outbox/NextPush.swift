/// A sealed push that has not been sent, or not been answered.
package struct NextPush: Hashable, Sendable {
    package let number: UInt64
    /// The bytes that are sent, the same each time.
    package let body: [UInt8]
    /// Whether no other push is sealed behind it.
    package let isLast: Bool

    package init(number: UInt64, body: [UInt8], isLast: Bool) {
        self.number = number
        self.body = body
        self.isLast = isLast
    }
}
