internal import RoostModel

/// The position up to which a replica has everything. It is opaque to clients: the server creates and checks it.
package struct Checkpoint: Hashable, Sendable, LosslessStringConvertible {
    /// The maximum number of bytes that are read.
    package static let bytesMax = 64

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads hexadecimal digits of at least one byte.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax * 2, let bytes = Hex.decode(text.utf8), !bytes.isEmpty else {
            return nil
        }
        self.bytes = bytes
    }

    package var description: String { Hex.encode(bytes) }
}
