internal import RoostProtocol

/// Makes nonces, by which the server recognises a repeated request (protocol.md §8).
enum RequestNonce {
    static func random() -> String {
        Hex.encode((0..<16).map { _ in UInt8.random(in: 0...255) })
    }
}
