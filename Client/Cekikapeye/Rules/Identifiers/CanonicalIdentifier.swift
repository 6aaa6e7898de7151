/// The text form of a 16-byte identifier: lower-case hexadecimal in groups of 8-4-4-4-12.
///
/// There is one form only, because the text is hashed and sorted: two spellings of one person would be two people.
enum CanonicalIdentifier {
    private static let hyphens: Set<Int> = [8, 13, 18, 23]
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    static func checked(_ text: String) throws(IdentifierError) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { throw .notCanonical(text) }
        for (position, byte) in bytes.enumerated() {
            let fits = hyphens.contains(position) ? byte == UInt8(ascii: "-") : hexadecimal.contains(byte)
            guard fits else { throw .notCanonical(text) }
        }
        return text
    }

    static func text(of bytes: [UInt8]) throws(IdentifierError) -> String {
        guard bytes.count == 16 else { throw .wrongLength(bytes.count) }
        var text: [UInt8] = []
        for byte in bytes {
            if hyphens.contains(text.count) { text.append(UInt8(ascii: "-")) }
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
