internal import RoostModel

/// How far a replica has everything: opaque to clients, made and checked by the server.
package struct Checkpoint: Hashable, Sendable, LosslessStringConvertible {
    /// At most this many bytes are read.
    package static let bytesMax = 64

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads hexadecimal digits, at least two.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax * 2, let bytes = Hex.decode(text.utf8), !bytes.isEmpty else {
            return nil
        }
        self.bytes = bytes
    }

    package var description: String { Hex.encode(bytes) }
}
