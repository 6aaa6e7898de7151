import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// The server's clock is wrong and then corrected (protocol.md §6.4).
@Suite struct ServerClockTests {
    private let store = MemoryStore()
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice
    private static let day = TestGroup.dayMilliseconds

    init() async throws {
        group = try TestGroup(store: store)
        ana = try await group.owner()
        bruno = try await group.device(ana)
    }

    /// Pulls and pushes as a device that learns the server's time and the stamps of pulled records.
    private static func edit(_ device: inout TestDevice, _ number: UInt64) async throws {
        for record in try await device.pull().records {
            device.clock = max(device.clock, record.put?.stamp.time ?? 0)
        }
        _ = try await device.push(device.put(TestGroup.id(number)))
    }

    private static func refusal(of change: Change, by device: TestDevice) async -> ErrorCode? {
        var device = device
        do {
            _ = try await device.push(change)
            return nil
        } catch {
            return (error as? ProtocolError)?.code
        }
    }

    // MARK: The bound

    @Test(arguments: [false, true])
    mutating func editsOfWhatWasStoredAtAWrongTimeAreAccepted(isRestarted: Bool) async throws {
        group.clock.advance(milliseconds: Self.day)
        try await Self.edit(&ana, 1)
        group.clock.goBack(milliseconds: Self.day)
        if isRestarted {
            let after = try group.restarted(on: store)
            (ana, bruno) = (ana.on(after), bruno.on(after))
        }
        try await Self.edit(&bruno, 1)
        try await Self.edit(&ana, 1)
        var carla = try await ana.group.device(ana)
        try await Self.edit(&carla, 2)
        #expect(try ana.group.service.head(for: ana.member).records == 2)
    }

    /// Only readings of the clock itself count, not stamps of clients.
    @Test mutating func stampsDoNotMoveTheBound() async throws {
        bruno.clock = (group.clock.now + 300_000) << 16 - 1
        _ = try await bruno.push(bruno.put(TestGroup.id(1)))
        bruno.clock = (group.clock.now + 300_001) << 16
        let ahead = bruno.put(TestGroup.id(2))
        #expect(await Self.refusal(of: ahead, by: bruno) == .clockAhead)
    }

    /// For a day, an editor pushes as often as possible at the bound of a clock that was set back. Other devices edit its
    /// records.
    @Test mutating func editorAtTheBoundLocksNobodyOut() async throws {
        group.clock.advance(milliseconds: Self.day)
        try await Self.edit(&ana, 1)
        group.clock.goBack(milliseconds: Self.day)
        let before = group.clock.now + Self.day + 300_000
        for minute: UInt64 in 0..<(24 * 60) {
            // The greatest stamp that is accepted.
            let bound = before + minute * 60
            bruno.clock = max(bruno.clock, bound << 16 | 0xFFFE)
            _ = try await bruno.push(bruno.put(TestGroup.id(2)))
            bruno.clock = (bound + 1000) << 16
            let ahead = bruno.put(TestGroup.id(2))
            #expect(await Self.refusal(of: ahead, by: bruno) == .clockAhead)
            bruno.clock = bound << 16 | 0xFFFF
            // An informed edit needs the next millisecond, which is available a second later.
            group.clock.advance(milliseconds: 1000)
            if minute % 60 == 0 { try await Self.edit(&ana, 2) }
            group.clock.advance(milliseconds: 59_000)
        }
        // The lead has decayed to a thousandth.
        group.clock.advance(milliseconds: 100_000)
        bruno.clock = (group.clock.now + 300_001) << 16
        let ahead = bruno.put(TestGroup.id(2))
        #expect(await Self.refusal(of: ahead, by: bruno) == .clockAhead)
    }

    /// The copy has no later reading of the clock, so only an acceptance by the operator admits the devices. It applies to a
    /// running server, too, and permanently.
    @Test mutating func operatorLetsDevicesInAfterACopyWasPutBackByHand() async throws {
        try await Self.edit(&ana, 1)
        let copy = store.copy()
        group.clock.advance(milliseconds: 3 * Self.day)
        let shown = group.clock.now
        try await Self.edit(&bruno, 1)
        try await Self.edit(&ana, 1)
        group.clock.goBack(milliseconds: 3 * Self.day)
        let after = try group.restarted(on: copy)
        (ana, bruno) = (ana.on(after), bruno.on(after))
        (ana.number, bruno.number) = (1, 0)
        let edit = ana.put(TestGroup.id(1))
        for _ in 0..<3 { #expect(await Self.refusal(of: edit, by: ana) == .clockAhead) }
        #expect(after.events.all.filter { $0 == .stampsAhead(edit.stamp.milliseconds) }.count == 1)
        try SyncService.acceptReading(shown, in: copy)
        _ = try await ana.push(edit)
        // Later stamps are refused, also after a restart.
        for server in [after, try group.restarted(on: copy, seed: 9)] {
            bruno = bruno.on(server)
            bruno.clock = (shown + 300_002) << 16
            let ahead = bruno.put(TestGroup.id(2))
            #expect(await Self.refusal(of: ahead, by: bruno) == .clockAhead)
        }
        let last = try group.restarted(on: copy, seed: 10)
        ana = ana.on(last)
        #expect(await Self.refusal(of: ana.put(TestGroup.id(1)), by: ana) == nil)
    }

    /// `roost-server restore` after a manual copy keeps the operator's acceptance.
    @Test func restoreKeepsWhatTheOperatorHasSaid() throws {
        let shown = group.clock.now + Self.day
        try SyncService.acceptReading(shown, in: store)
        let carried = try store.read { try SyncService.storedClock(in: $0) }
        let copy = MemoryStore()
        try copy.write { try SyncService.carryClock(from: carried, to: $0) }
        let setting = try copy.read { try SyncService.storedClock(in: $0) }
        let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: shown >> ($0 * 8)) }
        #expect(setting.map { Array($0[9..<17]) } == number)
    }

    @Test mutating func stampThatFitsSoonIsToBeSentAgain() async throws {
        bruno.clock = (group.clock.now + 301_500) << 16
        let ahead = bruno.put(TestGroup.id(1))
        do {
            _ = try await bruno.push(ahead)
            Issue.record("The push was accepted.")
        } catch let error as ProtocolError {
            #expect(error.code == .clockAhead && error.retryAfter == 2)
        }
    }

    // MARK: Purging

    /// Deletes a record as Ana, and lets both devices apply the delete.
    private mutating func delete() async throws {
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        _ = try await ana.push(ana.delete(TestGroup.id(1)))
        for _ in 0..<2 {
            _ = try await ana.pull()
            _ = try await bruno.pull()
        }
    }

    @Test(arguments: [false, true])
    mutating func clockThatJumpsPurgesNothing(isRestarted: Bool) async throws {
        try await delete()
        group.clock.advance(milliseconds: 365 * Self.day)
        let after = isRestarted ? try group.restarted(on: store) : group
        #expect(try await after.service.purge() == 0)
        #expect(try after.service.clockJump()?.to == group.clock.now)
        group.clock.goBack(milliseconds: 365 * Self.day)
        #expect(try await after.service.purge() == 0)
        #expect(try after.service.clockJump() == nil)
    }

    @Test mutating func clockThatRunsPurges() async throws {
        try await delete()
        group.waitPastHorizon()
        #expect(try await group.service.purge() == 1)
    }

    /// The operator sets up a machine again: the clock is confirmed while the server is off, before it starts.
    @Test mutating func operatorConfirmsTheClockBeforeTheStart() async throws {
        try await delete()
        group.clock.advance(milliseconds: 365 * Self.day)
        _ = try SyncService.acceptClock(in: store, now: group.clock.now)
        group.clock.advance(milliseconds: 60_000)
        let after = try group.restarted(on: store)
        #expect(try await after.service.purge() == 1)
        // A later jump needs another confirmation.
        group.clock.advance(milliseconds: 365 * Self.day)
        #expect(try after.service.clockJump()?.to == group.clock.now)
    }

    @Test mutating func operatorConfirmsTheClock() async throws {
        try await delete()
        group.clock.advance(milliseconds: 100 * Self.day)
        #expect(try await group.service.purge() == 0)
        #expect(try SyncService.acceptClock(in: store, now: group.clock.now)?.to == group.clock.now)
        #expect(try group.service.clockJump() == nil)
        #expect(try await group.service.purge() == 1)
    }

    /// An acceptance applies to the time at which it was given, not to a later jump.
    @Test mutating func acceptanceIsOfOneJump() async throws {
        try await delete()
        _ = try SyncService.acceptClock(in: store, now: group.clock.now)
        group.clock.advance(milliseconds: 100 * Self.day)
        #expect(try await group.service.purge() == 0)
    }

    /// An acceptance does not confirm a jump that follows a pending one, whether it was given for the first jump or before the
    /// clock was set back a little.
    @Test(arguments: [false, true])
    mutating func acceptanceIsOfNoJumpThatFollows(isAcceptedBetween: Bool) async throws {
        try await delete()
        if !isAcceptedBetween { _ = try SyncService.acceptClock(in: store, now: group.clock.now) }
        group.clock.goBack(milliseconds: 2 * 3_600_000)
        _ = group.service.now
        group.clock.advance(milliseconds: 25 * 3_600_000)
        _ = group.service.now
        if isAcceptedBetween { _ = try SyncService.acceptClock(in: store, now: group.clock.now) }
        group.clock.advance(milliseconds: 100 * Self.day)
        #expect(try await group.service.purge() == 0)
        #expect(try group.service.clockJump()?.to == group.clock.now)
    }

    @Test(arguments: [false, true])
    mutating func pushOfADeviceWhoseClockSaysTheSameConfirms(sendsClock: Bool) async throws {
        try await delete()
        group.clock.advance(milliseconds: 100 * Self.day)
        #expect(try await group.service.purge() == 0)
        if sendsClock { _ = try await bruno.pull() }
        try await bruno.push(bruno.put(TestGroup.id(2)), deviceTime: sendsClock ? group.clock.now - 1000 : nil)
        #expect(try group.service.clockJump() == nil)
    }

    /// The stamps of a device that has learned the server's time are no evidence of the device's own clock.
    @Test(arguments: [false, true])
    mutating func pushOfADeviceThatHasLearnedTheTimeConfirmsNothing(sendsClock: Bool) async throws {
        try await delete()
        let right = group.clock.now
        group.clock.advance(milliseconds: 365 * Self.day)
        _ = try await bruno.pull()
        try await bruno.push(bruno.put(TestGroup.id(2)), deviceTime: sendsClock ? right : nil)
        try await bruno.push(bruno.put(TestGroup.id(3)), deviceTime: sendsClock ? right : nil)
        #expect(try group.service.clockJump() != nil)
        #expect(try await group.service.purge() == 0)
    }

    @Test mutating func pushOfOldChangesConfirmsNothing() async throws {
        try await delete()
        let change = bruno.put(TestGroup.id(2))
        group.clock.advance(milliseconds: 365 * Self.day)
        try await bruno.push(change, deviceTime: group.clock.now)
        #expect(try group.service.clockJump() != nil)
    }
}
