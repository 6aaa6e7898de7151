/// The format of a document's file.
public enum DocumentFormat: Hashable, Sendable, CaseIterable {
    /// A compact binary form with a checksum.
    case binary
    /// Text that people and other programs can read.
    case xml

    /// Detects the format of bytes; `nil` where they have none.
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
