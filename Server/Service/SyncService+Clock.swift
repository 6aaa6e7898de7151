internal import RoostMerge
internal import RoostModel
internal import RoostProtocol
internal import Synchronization

extension SyncService {
    /// The step of the server's clock that purging waits for, if any.
    ///
    /// - Throws: ``StoreError``.
    package func clockJump() throws -> ServerClock.Jump? {
        _ = now
        guard time.withLock({ $0.clock.jump }) != nil else { return nil }
        let accepted = try store.read { try $0.setting(ServerClock.acceptedSetting) }
        return time.withLock { time in
            if let accepted, time.clock.jump?.isConfirmed(at: ServerClock.number(accepted)) == true {
                time.clock.confirm()
            }
            return time.clock.jump
        }
    }

    /// Confirms the stored clock as an operator does, also while another process serves: purging no longer waits for a step of it.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The step that purging waited for, if any.
    package static func acceptClock(in store: any Store, now: UInt64) throws -> ServerClock.Jump? {
        try store.write { transaction in
            var clock = ServerClock(encoded: try transaction.setting(ServerClock.setting))
            clock.read(now)
            try transaction.set(ServerClock.acceptedSetting, to: ServerClock.bytes(now))
            return clock.jump
        }
    }

    /// Lets stamps in up to the bound of a reading that the clock has shown and the store does not hold, because a copy was put back by hand;
    /// also while another process serves.
    ///
    /// - Parameter reading: Milliseconds since 1970.
    package static func acceptReading(_ reading: UInt64, in store: any Store) throws {
        try store.write { transaction in
            let before = try transaction.setting(ServerClock.raisedSetting).map(ServerClock.number) ?? 0
            try transaction.set(ServerClock.raisedSetting, to: ServerClock.bytes(max(before, reading)))
        }
    }

    /// Keeps the clock's greatest reading when a copy takes the place of a store: devices have seen stamps up to there.
    package static func carryClock(from setting: [UInt8]?, to transaction: any StoreTransaction) throws {
        guard let setting else { return }
        var clock = ServerClock(encoded: try transaction.setting(ServerClock.setting))
        clock.raise(to: ServerClock(encoded: setting))
        try transaction.set(ServerClock.setting, to: clock.encoded)
    }

    /// The clock as ``carryClock(from:to:)`` takes it.
    package static func storedClock(in snapshot: any StoreSnapshot) throws -> [UInt8]? {
        let setting = try snapshot.setting(ServerClock.setting)
        guard let raised = try snapshot.setting(ServerClock.raisedSetting) else { return setting }
        var clock = ServerClock(encoded: setting)
        clock.raise(to: ServerClock.number(raised))
        return clock.encoded
    }

    /// The clock by which the stamps of a request are judged. Where they are beyond its bound, an operator may have raised that.
    ///
    /// - Parameter newest: The greatest milliseconds of the stamps.
    func clock(for newest: UInt64, in snapshot: any StoreSnapshot) throws -> ServerClock {
        let clock = time.withLock { $0.clock }
        guard newest > clock.bound(aheadMax: limits.clockAheadMillisecondsMax) else { return clock }
        let raised = try snapshot.setting(ServerClock.raisedSetting).map(ServerClock.number) ?? 0
        return time.withLock { time in
            time.clock.raise(to: raised)
            noteAhead(newest, &time)
            return time.clock
        }
    }

    /// Reports stamps that are beyond the bound, once a minute at most.
    private func noteAhead(_ newest: UInt64, _ time: inout ServiceTime) {
        guard newest > time.clock.bound(aheadMax: limits.clockAheadMillisecondsMax) else { return }
        let now = time.clock.seen ?? 0
        if let reported = time.aheadReported, now >= reported, now - reported < 60_000 { return }
        time.aheadReported = now
        report(.stampsAhead(newest))
    }

    /// Writes the clock down. The last reading that is stored shows after a start how much time has passed.
    func noteClock() async throws {
        _ = now
        let clock = time.withLock { $0.clock }
        try await queue.commit(writing: .log) {
            try $0.set(ServerClock.setting, to: clock.encoded)
        } then: { [self] in
            time.withLock { $0.stored = max($0.stored, clock.highest) }
        }
    }

    /// Writes the clock down with a push whose stamps would be beyond the bound of what is stored: after a crash they are not.
    ///
    /// - Returns: The greatest reading that was written, if it was.
    func noteClock(for push: PreparedPush, in transaction: any StoreTransaction) throws -> UInt64? {
        let (clock, stored) = time.withLock { ($0.clock, $0.stored) }
        guard push.newest > stored + limits.clockAheadMillisecondsMax else { return nil }
        try transaction.set(ServerClock.setting, to: clock.encoded)
        return clock.highest
    }

    /// A push was stored: where purging waits, it may show that the server's clock is right.
    ///
    /// Stamps alone do not, for a device learns the server's time from its replies. So the device's own clock must be near too; of a client that
    /// does not send it, the first request after the step counts.
    func confirmClock(_ push: PreparedPush, by replica: ReplicaID, deviceTime: UInt64?) {
        time.withLock { time in
            guard time.clock.jump != nil else { return }
            let isIndependent = deviceTime.map { time.clock.isNear($0) } ?? !time.answered.contains(replica)
            if isIndependent, time.clock.isNear(push.newest) { time.clock.confirm() }
            time.answered.insert(replica)
        }
    }

    /// A device has learned the server's time from a reply.
    func noteAnswered(_ replica: ReplicaID) {
        time.withLock { time in
            if time.clock.jump != nil {
                time.answered.insert(replica)
            } else if !time.answered.isEmpty {
                time.answered = []
            }
        }
    }
}

/// The server's clock with what a service remembers of it.
struct ServiceTime: Sendable {
    var clock: ServerClock
    /// The greatest reading that is stored, in milliseconds since 1970.
    var stored: UInt64
    /// Devices that were answered since an unconfirmed step of the clock.
    var answered: Set<ReplicaID> = []
    /// When stamps beyond the bound were last reported, in milliseconds since 1970.
    var aheadReported: UInt64?
    /// When the store was last tried for ``SyncService/storageFault()``, and what came of it.
    var triedAt: UInt64?
    var fault: StoreError?
    /// The fault that the last check of the stored data has found.
    var damage: StoreError?
}
