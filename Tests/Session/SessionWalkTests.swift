import Testing

@testable import Session

/// The invariants of `SessionTable.md` §5, after every event of random walks; a failure names its seed.
@Suite struct SessionWalkTests {
    @Test(arguments: 0..<300)
    func continuousSessionKeepsItsInvariants(seed: UInt64) {
        var walk = Walk(.continuous(waitSeconds: 55), seed: seed)
        walk.run(steps: 400)
        #expect(walk.violations == [], "seed \(seed)")
    }

    /// Long walks, for combinations of several rare events.
    @Test(arguments: 0..<40)
    func longSessionKeepsItsInvariants(seed: UInt64) {
        var walk = Walk(.continuous(waitSeconds: 55), seed: 1000 + seed)
        walk.run(steps: 10_000)
        #expect(walk.violations == [], "seed \(seed)")
    }

    @Test(arguments: 0..<300)
    func continuousSessionBecomesUpToDateOnceFaultsStop(seed: UInt64) {
        var walk = Walk(.continuous(waitSeconds: 55), seed: seed)
        walk.run(steps: 200)
        walk.heal()
        #expect(walk.violations == [], "seed \(seed)")
        #expect(walk.isUpToDate, "seed \(seed): \(walk.session.status)")
        #expect(walk.stored.changes == walk.written, "seed \(seed)")
        #expect(walk.serverAhead == 0, "seed \(seed)")
    }

    @Test(arguments: 0..<300)
    func sessionThatRunsOnceEndsWithNothingLeft(seed: UInt64) {
        var walk = Walk(.once(attemptsMax: 1000), seed: seed)
        walk.heal()
        #expect(walk.violations == [], "seed \(seed)")
        #expect(walk.session.outcome == .upToDate, "seed \(seed): \(walk.session.status)")
        #expect(walk.outboxCount == 0, "seed \(seed)")
        #expect(walk.serverAhead == 0, "seed \(seed)")
    }

    @Test(arguments: 0..<300)
    func sessionThatRunsOnceThroughFaultsEnds(seed: UInt64) {
        var walk = Walk(.once(attemptsMax: 4), seed: seed)
        walk.run(steps: 1000)
        walk.heal()
        #expect(walk.violations == [], "seed \(seed)")
        #expect(walk.session.outcome != nil, "seed \(seed): \(walk.session.status)")
    }

    @Test(arguments: 0..<100)
    func stoppedSessionKeepsWhatWasNotAcknowledged(seed: UInt64) {
        var walk = Walk(.continuous(waitSeconds: 55), seed: seed)
        walk.run(steps: 20 + Int(seed))
        let outboxCount = walk.outboxCount
        walk.stop()
        #expect(walk.violations == [], "seed \(seed)")
        #expect(walk.session.status == .notRunning)
        #expect(walk.outboxCount == outboxCount)
    }
}
