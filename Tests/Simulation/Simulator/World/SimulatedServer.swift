internal import MemoryStore
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import SQLiteStore

/// The real service on a real store, with a disk that can fail and a clock that can err, without HTTP.
final class SimulatedServer {
    enum StoreKind: Int, Hashable, Sendable, CaseIterable {
        case memory
        case sqlite
    }

    /// The response: the bytes of the message, or of the error body.
    enum Response: Hashable, Sendable {
        case message([UInt8])
        case refused([UInt8])
        /// The server died during the request.
        case none
    }

    /// A copy of the store, like a backup.
    enum Copy {
        case memory(MemoryStore)
        case file(SimulatedDisk.Image)
    }

    static let file = "roost.sqlite"

    let kind: StoreKind
    let disk: SimulatedDisk
    let clock: DeviceClock
    let limits: Limits
    private(set) var service: SyncService?
    private(set) var store: (any Store)?
    private(set) var starts: UInt64 = 0
    /// Whether the disk was made to fail, which allows the server to report that.
    var hasDiskFault = false
    /// Errors that neither belong to the protocol nor result from a full or failing disk.
    private(set) var internalErrors: [String] = []
    private let seed: UInt64
    /// The events that the service reported, such as stamps that identify two contents.
    let reports: Reports

    init(_ kind: StoreKind, _ disk: SimulatedDisk, clock: DeviceClock, limits: Limits, seed: UInt64) throws {
        self.kind = kind
        self.disk = disk
        self.clock = clock
        self.limits = limits
        self.seed = seed
        reports = Reports()
        if kind == .memory { store = MemoryStore() }
        try start()
    }

    var isRunning: Bool { service != nil }

    /// Opens the store, and starts a service on it.
    func start() throws {
        starts += 1
        guard let store = try openStore() else { return }
        service = try SyncService(
            store, limits: limits, commits: .inline, now: { [clock] in UInt64(clock.wall) },
            random: SplitMix64(state: seed &+ starts), report: { [reports] in reports.add($0) })
    }

    /// Releases the store. On a crashed disk, its open files are unusable.
    func end() {
        service = nil
        if kind == .sqlite { store = nil }
    }

    /// Closes the store as an operator does before copying its file.
    func close() throws {
        service = nil
        if kind == .sqlite {
            try (store as? SQLiteStore)?.close()
            store = nil
        }
    }

    private func openStore() throws -> (any Store)? {
        // Like "serve": only a folder without a token gets a new database.
        if kind == .sqlite {
            disk.placeMarks(for: Self.file)
            store = try SQLiteStore(
                path: disk.path(Self.file), readers: 1, whereNone: starts == 1 ? .makeStore : .refuse)
        }
        return store
    }

    // MARK: Copies while the server is stopped

    func copy() -> Copy {
        if let memory = store as? MemoryStore { return .memory(memory.copy()) }
        return .file(disk.image(of: Self.file))
    }

    /// Returns the server's clock as stored.
    func storedClock() throws -> [UInt8]? { try store?.read { try SyncService.storedClock(in: $0) } }

    func putBack(_ copy: Copy) {
        switch copy {
        case .memory(let memory): store = memory.copy()
        case .file(let image): disk.put(image, as: Self.file)
        }
    }

    /// Starts a new history in every scope, as `roost-server restore` does.
    ///
    /// - Parameter clock: The server's clock as stored in the replaced store.
    func beginAnew(clock: [UInt8]?) throws {
        guard let store = try openStore() else { return }
        // A random source other than the service's, since an epoch is never used twice.
        let random = RandomSource(SplitMix64(state: ~(seed &+ starts)))
        let now = UInt64(self.clock.wall)
        _ = try store.write { transaction in
            try SyncService.carryClock(from: clock, to: transaction)
            return try RecoveryHandler(limits: limits, random: random).beginAll(in: transaction, now: now)
        }
        try close()
    }

    // MARK: Requests

    /// - Parameter deviceTime: The time of the device's own clock, if the client sends it.
    func push(
        _ body: [UInt8], page: PageRequest? = nil, token: String, deviceTime: UInt64? = nil
    ) async -> Response {
        await respond { service in
            let member = try await service.member(try Self.token(token))
            return try await service.push(
                body, as: .protobuf, replyAs: .protobuf, by: member, page: page, deviceTime: deviceTime)
        }
    }

    /// - Returns: An empty message if no such push is stored.
    func reply(toPush number: UInt64, hash: [UInt8], token: String) async -> Response {
        await respond { service in
            let member = try await service.member(try Self.token(token))
            return try service.storedReply(toPush: number, hash: hash, as: .protobuf, for: member) ?? []
        }
    }

    func pull(since checkpoint: [UInt8]?, isAhead: Bool = false, token: String) async -> Response {
        await respond { service in
            let member = try await service.member(try Self.token(token))
            var request = PageRequest(checkpoint)
            request.isAhead = isAhead
            return try await service.pull(request, as: .protobuf, for: member)
        }
    }

    func schema(token: String) async -> Response {
        await respond { service in
            let member = try await service.member(try Self.token(token))
            let schema = try service.schema(for: member)
            return JSONValue.members(("version", .integer(schema.version)), ("schema", .string(schema.text))).encoded
        }
    }

    func renew(reason: String, nonce: String, token: String) async -> Response {
        await respond { service in
            let member = try await service.member(try Self.token(token))
            return try await service.renew(member, reason: reason, nonce: nonce).json.encoded
        }
    }

    func recover(_ records: [RecordState], token: String) async -> Response {
        await respond { service in
            let member = try await service.member(try Self.token(token))
            return try await service.recover(
                RecoverRequest(records: records).protobuf(), as: .protobuf, replyAs: .protobuf, by: member)
        }
    }

    func known(_ hashes: [[UInt8]]) async -> Response {
        await respond { service in
            let known = try service.known(hashes.map { TokenHash(bytes: $0) })
            return JSONValue.object(known.map { [.init("known", .integer($0.index))] } ?? []).encoded
        }
    }

    private func respond(_ body: (SyncService) async throws -> [UInt8]) async -> Response {
        guard let service else { return .none }
        do {
            let bytes = try await body(service)
            return disk.isDead ? .none : .message(bytes)
        } catch {
            if disk.isDead { return .none }
            let report = Self.report(error)
            if report.code == .internalError { internalErrors.append("\(error)") }
            return .refused(report.json.encoded)
        }
    }

    static func token(_ text: String) throws -> Token {
        guard let token = Token(text) else { throw ProtocolError(.unauthorized, "no token") }
        return token
    }

    /// Maps an error as `ServerHTTP` does.
    private static func report(_ error: any Error) -> ProtocolError {
        switch error {
        case let error as ProtocolError: error
        case StoreError.full, StoreError.busy, StoreError.failing:
            ProtocolError(.storageUnavailable, "the disk is full or failing", retryAfter: 10)
        default: ProtocolError(.internalError, "\(error)")
        }
    }
}

extension PageRequest {
    init(_ checkpoint: [UInt8]?) {
        self.init(since: checkpoint.map { Checkpoint(bytes: $0) }, takesIdentifiersAlone: true)
    }
}
