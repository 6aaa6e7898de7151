/// The name of a member of a JSON object. Two are equal where their bytes are.
///
/// `String` compares by canonical equivalence, in time that grows with the square of a run of combining marks: a split from another
/// device could take minutes.
struct JSONKey: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }
    init(stringLiteral text: String) { self.text = text }

    static func == (left: JSONKey, right: JSONKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
