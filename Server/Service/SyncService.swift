package import RoostModel
package import RoostProtocol
internal import Synchronization

/// The work of a server without its network: it answers requests that have been read.
///
/// The decisions are made in ``PushHandler``, ``PullHandler`` and ``AccessHandler``. This class connects them to a store,
/// to one queue of commits, and to the waiting pulls.
package final class SyncService: Sendable {
    /// An event that is reported to an operator.
    package enum Event: Hashable, Sendable {
        /// One stamp identifies two contents: two replicas share an identity.
        case stampCollision(scope: ScopeID, record: RecordKey, stamp: HybridTimestamp)
        /// A request used a token that a rotation had replaced. Its device was revoked, unless it is the scope's last owner
        /// or the scope is recovering.
        case stolenToken(scope: ScopeID, replica: ReplicaID, isRevoked: Bool)
        /// A checkpoint of this server is not in the scope's history: the server was restored from a backup. The scope has
        /// started a new incarnation, and its replicas may bring back their records.
        case rolledBack(scope: ScopeID, replica: ReplicaID)
        /// A replica brought back records that the server had lost. The server cannot verify that they are as their authors
        /// wrote them.
        case recovered(scope: ScopeID, replica: ReplicaID, records: Int)
        /// Records beyond the horizon were purged.
        case purged(scope: ScopeID, records: Int)
        /// A scope could not be purged. The next purge tries again.
        case purgeFailed(scope: ScopeID?, reason: String)
        /// Unused space could not be returned to the disk. The next purge tries again.
        case spaceKept(reason: String)
        /// Nothing is purged, because a jump of the server's clock is unconfirmed.
        case purgeWaits(ServerClock.Jump)
        /// Changes were refused because of stamps beyond the bound of the server's clock. The payload is the newest stamp,
        /// in milliseconds since 1970.
        case stampsAhead(UInt64)
        /// Stored records could not be read, and were left out of a page in JSON.
        case unreadableRecords(scope: ScopeID, records: Int)
        /// A replica got a new identity.
        case renewed(scope: ScopeID, replica: ReplicaID, as: ReplicaID, reason: String)
    }

    /// The identity of the server's data, in 16 hexadecimal digits. A restored backup keeps it; an empty store has another.
    package let identity: String
    package let limits: Limits
    package let waitingRoom: WaitingRoom
    package let store: any Store
    package let queue: CommitQueue
    package let tails = ScopeTails()
    let pushes: PushHandler
    package let pulls: PullHandler
    let access: AccessHandler
    let recovery: RecoveryHandler
    let seal: CheckpointSeal
    package let cursors = CursorTable()
    let purges: PurgeHandler
    let purged = PurgeMemory()
    let members = MemberCache()
    let report: @Sendable (Event) -> Void
    private let wallClock: @Sendable () -> UInt64
    let time: Mutex<ServiceTime>
    private let names = Mutex<[ScopeKey: (version: Int, names: RecordJSON)]>([:])

    /// Opens the service on a store. A new store gets the server's secret.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - tokenSecret: 32 random bytes that are kept outside the store, from which tokens are derived. `nil` for a store
    ///     that is not copied, such as one in memory: then the store's own secret is used.
    ///   - report: Called from any thread.
    package init(
        _ store: any Store, limits: Limits, commits mode: CommitQueue.Mode, now: @escaping @Sendable () -> UInt64,
        random generator: any RandomNumberGenerator & Sendable, tokenSecret: [UInt8]? = nil,
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws {
        let random = RandomSource(generator)
        let (secret, clock) = try store.write { transaction in
            var clock = ServerClock(encoded: try transaction.setting(ServerClock.setting))
            clock.read(now())
            try transaction.set(ServerClock.setting, to: clock.encoded)
            if let secret = try transaction.setting("secret") { return (secret, clock) }
            let secret = random.bytes(32)
            try transaction.set("secret", to: secret)
            return (secret, clock)
        }
        self.store = store
        identity = Hex.encode(SHA256Digest.of(Array("roost-server identity".utf8) + secret).prefix(8))
        self.limits = limits
        self.report = report
        wallClock = now
        time = Mutex(ServiceTime(clock: clock, stored: clock.highest))
        seal = CheckpointSeal(secret: secret)
        purges = PurgeHandler(limits: limits)
        recovery = RecoveryHandler(limits: limits, random: random)
        pushes = PushHandler(limits: limits, recovery: recovery)
        pulls = PullHandler(seal: seal, limits: limits)
        access = AccessHandler(limits: limits, random: random, tokenSecret: tokenSecret ?? secret)
        waitingRoom = WaitingRoom(perReplicaMax: limits.waitsPerReplicaMax)
        queue = CommitQueue(store, tails: tails, mode: mode)
    }

    /// The milliseconds since 1970. Each use counts as a reading of the server's clock.
    package var now: UInt64 {
        let now = wallClock()
        time.withLock { $0.clock.read(now) }
        return now
    }

    /// Ends the waiting pulls at once, and returns when the running commits are durable.
    package func stop() {
        waitingRoom.close()
        queue.stop()
    }

    /// Returns the names under which a scope's records are read and written as JSON.
    package func names(for member: Principal) throws -> RecordJSON {
        try store.read { snapshot in
            let version = try snapshot.scope(member.scope)?.schemaVersion ?? 0
            if let known = names.withLock({ $0[member.scope] }), known.version == version { return known.names }
            guard let text = try snapshot.schema(of: member.scope) else {
                throw StoreError.damaged("a scope has no schema")
            }
            let result = RecordJSON(try Schema(json: text))
            names.withLock { $0[member.scope] = (version, result) }
            return result
        }
    }
}
