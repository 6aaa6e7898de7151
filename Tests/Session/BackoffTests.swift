import RoostModel
import Testing

@testable import Session

@Suite struct BackoffTests {
    let now = Moment(milliseconds: 1_000_000)
    let down = WaitReason(.unreachable, "down")

    @Test(arguments: zip(1...8, [1, 2, 4, 8, 16, 32, 60, 60]))
    func ceilingDoublesUpToAMinute(attempt: Int, seconds: Int) {
        #expect(Backoff.ceiling(attempt) == .seconds(seconds))
    }

    @Test(arguments: [1, 2, 5, 100, .max])
    func delayStaysBetweenLeastAndCeiling(attempt: Int) {
        var generator = SplitMix64(state: 1)
        for _ in 0..<1000 {
            let delay = Backoff.delay(attempt, using: &generator)
            #expect(delay >= Backoff.least && delay <= Backoff.ceiling(attempt))
        }
    }

    @Test func delaysSpread() {
        var generator = SplitMix64(state: 1)
        let delays = Set((0..<100).map { _ in Backoff.delay(7, using: &generator) })
        #expect(delays.count > 90)
    }

    @Test func wakeMovesTheAttemptForwardToTheLeastWait() {
        var generator = SplitMix64(state: 2)
        let first = Retry(after: nil, because: down, retryAfter: nil, at: now, using: &generator)
        let later = (0..<8).reduce(first) { previous, _ in
            Retry(after: previous, because: down, retryAfter: nil, at: now, using: &generator)
        }
        var woken = later
        woken.wake(at: now)
        #expect(woken.until == now.advanced(by: .milliseconds(500)))
    }

    @Test func wakeDoesNotUndercutRetryAfter() {
        var generator = SplitMix64(state: 3)
        var retry = Retry(after: nil, because: down, retryAfter: .seconds(30), at: now, using: &generator)
        retry.wake(at: now.advanced(by: .seconds(2)))
        #expect(retry.until == now.advanced(by: .seconds(30)))
    }

    @Test func retryAfterIsBelievedUpToAnHour() {
        var generator = SplitMix64(state: 4)
        let retry = Retry(after: nil, because: down, retryAfter: .seconds(1_000_000), at: now, using: &generator)
        #expect(retry.until == now.advanced(by: .seconds(3600)))
    }

    @Test func rowOfFailuresKeepsItsStart() {
        var generator = SplitMix64(state: 5)
        let first = Retry(after: nil, because: down, retryAfter: nil, at: now, using: &generator)
        let second = Retry(
            after: first, because: down, retryAfter: nil, at: now.advanced(by: .seconds(9)), using: &generator)
        #expect(second.since == now)
        #expect(second.attempts == 2)
    }
}
