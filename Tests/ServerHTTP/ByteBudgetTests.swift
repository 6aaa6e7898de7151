import RoostModel
import RoostProtocol
import RoostService
import Testing

@testable import ServerHTTP

/// The budget of bytes for bodies and replies, and its distribution.
@Suite struct ByteBudgetTests {
    private static let ana = holder(1, 1)
    private static let bruno = holder(1, 2)
    private static let zoe = holder(2, 3)

    private static func holder(_ scope: Int64, _ replica: UInt64) -> ByteLedger.Holder {
        .init(scope: ScopeKey(scope), replica: ReplicaID(rawValue: replica))
    }

    @Test func oneShareLeavesAQuarter() {
        var ledger = ByteLedger(total: 96)
        #expect(ledger.change(from: 0, to: 73, for: Self.ana) == .tooLarge)
        #expect(ledger.change(from: 0, to: 72, for: Self.ana) == .granted)
        #expect(ledger.change(from: 0, to: 1, for: Self.ana) == .full)
        #expect(ledger.held == 72)
    }

    /// A quarter is reserved for other scopes. The devices of one scope share three quarters.
    @Test func aScopeLeavesRoomForOthers() {
        var ledger = ByteLedger(total: 96)
        #expect(ledger.change(from: 0, to: 60, for: Self.ana) == .granted)
        #expect(ledger.change(from: 0, to: 13, for: Self.bruno) == .full)
        #expect(ledger.change(from: 0, to: 12, for: Self.bruno) == .granted)
        #expect(ledger.change(from: 0, to: 19, for: Self.zoe) == .full)
        #expect(ledger.change(from: 0, to: 18, for: Self.zoe) == .granted)
    }

    @Test func severalSharesOfADeviceAreAQuarterTogether() {
        var ledger = ByteLedger(total: 96)
        for _ in 1...24 { #expect(ledger.change(from: 0, to: 1, for: Self.ana) == .granted) }
        #expect(ledger.change(from: 0, to: 1, for: Self.ana) == .full)
        // The scope may have a half, so the other device gets as much as the first one.
        for _ in 1...24 { #expect(ledger.change(from: 0, to: 1, for: Self.bruno) == .granted) }
        #expect(ledger.change(from: 0, to: 1, for: Self.bruno) == .full)
        #expect(ledger.change(from: 0, to: 36, for: Self.zoe) == .granted)
    }

    /// Any number of scopes that take as much as they can leave something for one more.
    @Test func greedyScopesLeaveRoom() {
        var ledger = ByteLedger(total: 1 << 20)
        for scope in 1...5 {
            let greedy = Self.holder(Int64(scope), 1)
            while ledger.change(from: 0, to: 256, for: greedy) == .granted {}
        }
        #expect(ledger.change(from: 0, to: 1 << 17, for: Self.holder(9, 1)) == .granted)
    }

    /// The bytes that a share already has do not prevent its growth.
    @Test func aShareGrowsToWhatItMayHave() {
        var ledger = ByteLedger(total: 96)
        #expect(ledger.change(from: 0, to: 10, for: Self.ana) == .granted)
        #expect(ledger.change(from: 10, to: 72, for: Self.ana) == .granted)
        #expect(ledger.change(from: 72, to: 5, for: Self.ana) == .granted)
        #expect(ledger.change(from: 5, to: 0, for: Self.ana) == .granted)
        #expect(ledger.held == 0)
    }

    @Test func aBudgetGivesBackWhatItTook() throws {
        let budget = ByteBudget(total: 96 << 10)
        var shares = [budget.share(for: Self.ana), budget.share(for: Self.zoe)]
        try shares[0].resize(to: 60 << 10)
        try shares[1].resize(to: 20 << 10)
        #expect(throws: ProtocolError.self) { try shares[0].resize(to: 72 << 10) }
        try shares[0].resize(to: 10 << 10)
        #expect(budget.bytes == 30 << 10)
        shares.removeAll()
        #expect(budget.bytes == 0)
        #expect(try budget.share(of: ByteBudget.countedFromBytes, for: Self.ana) == nil)
    }

    @Test func whatNeverFitsIsTooLarge() throws {
        let budget = ByteBudget(total: 96 << 10)
        let held = try budget.share(of: 60 << 10, for: Self.ana)
        let full = #expect(throws: ProtocolError.self) { try budget.share(of: 70 << 10, for: Self.zoe) }
        #expect(full?.code == .tooManyRequests)
        let never = #expect(throws: ProtocolError.self) { try budget.share(of: 73 << 10, for: Self.zoe) }
        #expect(never?.code == .tooLarge)
        withExtendedLifetime(held) {}
    }
}
