internal import Crypto
package import RoostModel
package import RoostProtocol

/// The creation and verification of checkpoints: epoch ‖ sequence ‖ echo ‖ chain ‖ MAC, 8 bytes each.
package struct CheckpointSeal: Sendable {
    /// A position in a scope's history.
    package struct Position: Hashable, Sendable {
        package var epoch: UInt64
        package var sequence: UInt64
        /// The sequence up to which the replica's own changes are sent to it as well, because it began without data.
        package var echo: UInt64
        /// The first 8 bytes of the chain hash at ``sequence``.
        package var chain: UInt64

        package init(epoch: UInt64, sequence: UInt64, echo: UInt64, chain: UInt64) {
            self.epoch = epoch
            self.sequence = sequence
            self.echo = echo
            self.chain = chain
        }
    }

    /// The authenticator with its key applied, which is half of the work. It is copied for each code.
    private let keyed: HMAC<SHA256>
    private let recent = RecentCodes()

    /// Creates a seal.
    ///
    /// - Parameter secret: The server's secret. Any program that has it can make checkpoints.
    package init(secret: [UInt8]) {
        keyed = HMAC(key: SymmetricKey(data: secret))
    }

    package func seal(_ position: Position, of scope: ScopeID) -> Checkpoint {
        var bytes = Self.bytes(of: position)
        bytes.appendBigEndian(code(position, scope))
        return Checkpoint(bytes: bytes)
    }

    /// Verifies and reads a checkpoint.
    ///
    /// - Throws: ``ErrorCode/badRequest`` for a checkpoint that this server did not make for this scope.
    package func open(_ checkpoint: Checkpoint, of scope: ScopeID) throws(ProtocolError) -> Position {
        let bytes = checkpoint.bytes
        func number(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        if bytes.count == Self.bytesCount {
            let position = Position(epoch: number(0), sequence: number(8), echo: number(16), chain: number(24))
            // The comparison takes constant time.
            if code(position, scope) ^ number(32) == 0 { return position }
        }
        throw ProtocolError(
            .badRequest, "Cannot read the checkpoint: it is not one of this scope. Send it as it was pulled.")
    }

    private static let bytesCount = 40

    private static func bytes(of position: Position) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bytesCount)
        bytes.appendBigEndian(position.epoch)
        bytes.appendBigEndian(position.sequence)
        bytes.appendBigEndian(position.echo)
        bytes.appendBigEndian(position.chain)
        return bytes
    }

    /// Returns the first 8 bytes of the authentication code.
    private func code(_ position: Position, _ scope: ScopeID) -> UInt64 {
        recent.code(of: position, scope) {
            var authenticator = keyed
            authenticator.update(data: scope.bytes + Self.bytes(of: position))
            return authenticator.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
