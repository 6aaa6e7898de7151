/// How a document lies in its file, as a whole.
public enum DocumentFormat: Hashable, Sendable, CaseIterable {
    /// Compact, with a checksum.
    case binary
    /// Text that people and other programs can read.
    case xml

    /// Which format bytes are in; `nil` for none of them.
    init?(of bytes: [UInt8]) {
        if bytes.starts(with: BinaryDocument.magic) {
            self = .binary
        } else if bytes.first(where: { $0 > 32 && $0 < 0xEF }) == UInt8(ascii: "<") {
            self = .xml
        } else {
            return nil
        }
    }
}
