import Replica
import RoostProtocol
import TestScope
import Testing

/// The reason for sealing changes the method, and not the result.
@Suite struct SealingReasonTests {
    private static let limits = PushLimits(
        changesPerPush: 2, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)

    private func seal(_ file: TemporaryReplica, _ reason: SealingReason) throws -> Sealed {
        try file.replica.sealPushes(limits: Self.limits, after: reason)
    }

    @Test(arguments: [SealingReason.look, .localChange])
    func nothingWaits(reason: SealingReason) throws {
        #expect(try seal(TemporaryReplica(TemporaryReplica.people), reason) == .nothingWaits)
    }

    @Test(arguments: [SealingReason.look, .localChange])
    func whatWaitsIsSealedOnceAndThenFound(reason: SealingReason) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        _ = try file.replica.apply([], checkpoint: [9], serverTime: nil)
        try file.sql("INSERT INTO person(name) VALUES ('Ana'), ('Bob'), ('Cem')")
        let sealed = try seal(file, reason)
        let body = try #require(try file.replica.sealedPushes().first).protobuf()
        let first = SealedPush(number: 1, body: body, isLast: false, checkpoint: [9], changeCounts: [2])
        #expect(sealed == .next(first))
        #expect(try seal(file, reason) == .next(SealedPush(number: 1, body: body, isLast: false, checkpoint: [9])))
    }
}
