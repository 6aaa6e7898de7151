internal import RoostMerge
internal import RoostModel
internal import RoostProtocol
internal import Synchronization

extension SyncService {
    /// Returns the step of the server's clock for which purging waits, if any.
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

    /// Confirms the stored clock on behalf of an operator, even while another process serves: purging no longer waits for a
    /// step of it.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The step for which purging waited, if any.
    package static func acceptClock(in store: any Store, now: UInt64) throws -> ServerClock.Jump? {
        try store.write { transaction in
            var clock = ServerClock(encoded: try transaction.setting(ServerClock.setting))
            clock.read(now)
            try transaction.set(ServerClock.acceptedSetting, to: ServerClock.bytes(now))
            return clock.jump
        }
    }

    /// Accepts stamps up to the bound of a reading that the clock has shown and the store does not have, because the store
    /// was restored by hand. It works even while another process serves.
    ///
    /// - Parameter reading: Milliseconds since 1970.
    package static func acceptReading(_ reading: UInt64, in store: any Store) throws {
        try store.write { transaction in
            let before = try transaction.setting(ServerClock.raisedSetting).map(ServerClock.number) ?? 0
            try transaction.set(ServerClock.raisedSetting, to: ServerClock.bytes(max(before, reading)))
        }
    }

    /// Keeps the clock's greatest reading when a backup replaces a store: devices have seen stamps up to it.
    package static func carryClock(from setting: [UInt8]?, to transaction: any StoreTransaction) throws {
        guard let setting else { return }
        var clock = ServerClock(encoded: try transaction.setting(ServerClock.setting))
        clock.raise(to: ServerClock(encoded: setting))
        try transaction.set(ServerClock.setting, to: clock.encoded)
    }

    /// Reads the clock in the form that ``carryClock(from:to:)`` takes.
    package static func storedClock(in snapshot: any StoreSnapshot) throws -> [UInt8]? {
        let setting = try snapshot.setting(ServerClock.setting)
        guard let raised = try snapshot.setting(ServerClock.raisedSetting) else { return setting }
        var clock = ServerClock(encoded: setting)
        clock.raise(to: ServerClock.number(raised))
        return clock.encoded
    }

    /// Returns the clock that bounds the stamps of a request. For stamps beyond its bound, it first applies a reading that
    /// an operator has raised.
    ///
    /// - Parameter newest: The greatest milliseconds of the stamps.
    func clock(for newest: UInt64, in snapshot: any StoreSnapshot) throws -> ServerClock {
        let clock = time.withLock { $0.clock }
        guard newest > clock.bound(aheadMax: limits.clockAheadMillisecondsMax) else { return clock }
        let raised = try snapshot.setting(ServerClock.raisedSetting).map(ServerClock.number) ?? 0
        return time.withLock { time in
            time.clock.raise(to: raised)
            recordAhead(newest, &time)
            return time.clock
        }
    }

    /// Reports stamps that are beyond the bound, at most once a minute.
    private func recordAhead(_ newest: UInt64, _ time: inout ServiceTime) {
        guard newest > time.clock.bound(aheadMax: limits.clockAheadMillisecondsMax) else { return }
        let now = time.clock.seen ?? 0
        if let reported = time.aheadReported, now >= reported, now - reported < 60_000 { return }
        time.aheadReported = now
        report(.stampsAhead(newest))
    }

    /// Stores the clock. After a start, the stored last reading shows how much time has passed.
    func recordClock() async throws {
        _ = now
        let clock = time.withLock { $0.clock }
        try await queue.commit(writing: .log) {
            try $0.set(ServerClock.setting, to: clock.encoded)
        } then: { [self] in
            time.withLock { $0.stored = max($0.stored, clock.highest) }
        }
    }

    /// Stores the clock with a push whose stamps are beyond the stored clock's bound, so that they are within it after a
    /// crash.
    ///
    /// - Returns: The greatest reading that was stored; `nil` if none was.
    func recordClock(for push: PreparedPush, in transaction: any StoreTransaction) throws -> UInt64? {
        let (clock, stored) = time.withLock { ($0.clock, $0.stored) }
        guard push.newest > stored + limits.clockAheadMillisecondsMax else { return nil }
        try transaction.set(ServerClock.setting, to: clock.encoded)
        return clock.highest
    }

    /// Confirms the clock by a stored push while purging waits, if the push proves that the clock is right.
    ///
    /// Its stamps alone prove nothing, because a device learns the server's time from its replies. So the device's own
    /// clock has to be near too. For a client that does not send its clock, the first request after the step counts.
    func confirmClock(_ push: PreparedPush, by replica: ReplicaID, deviceTime: UInt64?) {
        time.withLock { time in
            guard time.clock.jump != nil else { return }
            let isIndependent = deviceTime.map { time.clock.isNear($0) } ?? !time.answered.contains(replica)
            if isIndependent, time.clock.isNear(push.newest) { time.clock.confirm() }
            time.answered.insert(replica)
        }
    }

    /// Records that a device has learned the server's time from a reply.
    func recordAnswered(_ replica: ReplicaID) {
        time.withLock { time in
            if time.clock.jump != nil {
                time.answered.insert(replica)
            } else if !time.answered.isEmpty {
                time.answered = []
            }
        }
    }
}

/// The server's clock, with the related state of a service.
struct ServiceTime: Sendable {
    var clock: ServerClock
    /// The greatest reading that is stored, in milliseconds since 1970.
    var stored: UInt64
    /// The devices that received a reply since an unconfirmed step of the clock.
    var answered: Set<ReplicaID> = []
    /// The time of the last report of stamps beyond the bound, in milliseconds since 1970.
    var aheadReported: UInt64?
    /// The time of the last write for ``SyncService/storageFault()``, in milliseconds since 1970. ``fault`` is its result.
    var triedAt: UInt64?
    var fault: StoreError?
    /// The corruption that the last check of the stored data has found.
    var damage: StoreError?
}
