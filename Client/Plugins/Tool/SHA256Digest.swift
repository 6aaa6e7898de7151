/// A stand-in for the hash function of RoostModel. Nothing that reads a schema or generates code computes a hash.
///
/// The package manager builds the program of a plugin with libraries of its own. Without this type it would build swift-crypto twice,
/// which takes longer than half of the SDK.
enum SHA256Digest {
    static func of(_ bytes: some Collection<UInt8>) -> [UInt8] { unavailable() }

    static func decode(_ text: some StringProtocol) -> [UInt8]? { unavailable() }

    static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt128 { unavailable() }

    private static func unavailable() -> Never {
        preconditionFailure("The program of the package plugins computes no hashes.")
    }
}
