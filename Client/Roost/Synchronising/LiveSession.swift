public import Replica
internal import RoostProtocol
internal import Session
internal import Synchronization
internal import Transport

/// Keeps a replica synchronised while it runs. Local changes of any process are pushed as they are observed, and remote changes arrive
/// over a long poll.
///
///     let session = try LiveSession(replica) { state in print(state) }
///     let running = Task { await session.run() }
///     try await session.synced()
public actor LiveSession {
    /// The time for which the server may hold an answer.
    private static let waitSeconds = 50

    let replica: Replica
    /// The states for readers of ``states()``.
    let feed = SessionFeed()
    private let lease: SyncLease
    private let transport: HTTPTransport
    private let synchronizer: Synchronizer
    /// Receives events that are no state, in words.
    private let notice: @Sendable (String) -> Void
    private var watcher: ChangeWatcher?
    /// The fate of the files: in their place, moved, removed or replaced.
    private let displaced = Mutex(FileFate.inPlace)
    /// The token file at the last check.
    private let tokenFile: Mutex<FileSign>

    private enum Notice {
        /// This program has written to the replica.
        case own
        /// A program has written to the replica's file.
        case file
    }

    private let notices: AsyncStream<Notice>
    private let continuation: AsyncStream<Notice>.Continuation

    /// Makes a session, which ``run()`` starts. While it exists, no other program can synchronise the replica.
    ///
    /// - Parameters:
    ///   - replica: A replica that belongs to a scope.
    ///   - bounds: Bounds of the work that the server can cause.
    ///   - observe: Receives each new state, and one again after each attempt that leaves it as it is. ``states()`` has them too.
    /// - Throws: ``RoostError`` with the code `notConnected`, or `busy` where another program synchronises the replica.
    public init(
        _ replica: Replica, bounds: SyncBounds = SyncBounds(),
        observe: @escaping @Sendable (SessionState) -> Void = { _ in }
    ) throws {
        try self.init(replica, bounds: bounds, observe: observe, notice: { _ in })
    }

    /// Makes a session like ``init(_:bounds:observe:)``.
    ///
    /// - Parameter notice: Receives events that are no state, in words.
    package init(
        _ replica: Replica, bounds: SyncBounds, observe: @escaping @Sendable (SessionState) -> Void,
        notice: @escaping @Sendable (String) -> Void
    ) throws {
        let access = try replica.serverAccess("synchronise")
        guard let lease = try SyncLease(on: replica.path) else {
            let holder = LeaseHolder(of: replica.path)
            throw RoostError(
                .busy, "Cannot synchronise \"\(replica.path)\": \(holder.name) does already. \(holder.cure)")
        }
        do {
            transport = try HTTPTransport(to: access.server)
        } catch {
            throw RoostError(error, "synchronise")
        }
        // One more check is enough, however many notices come during one.
        (notices, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.replica = replica
        self.lease = lease
        // A token file that is replaced meanwhile causes one needless check.
        tokenFile = Mutex(FileSign(of: "\(replica.path)-token"))
        self.notice = notice
        synchronizer = Synchronizer(
            replica, ServerClient(transport, token: access.token), .continuous(waitSeconds: Self.waitSeconds),
            bounds: bounds
        ) { [feed] state in
            let state = SessionState(state)
            feed.publish(state)
            observe(state)
        }
    }

    /// Runs until ``stop()``, until its task is cancelled, until user action is required, or until the replica's file is not in its
    /// place any more: moved, removed or replaced. Close the replica then, and open the file again.
    ///
    /// - Returns: A report, with the reason of the end in ``SyncReport/state``. ``SyncReport/isRequested`` is true after ``stop()`` and
    ///   after a cancellation.
    @discardableResult public func run() async -> SyncReport {
        watcher = ChangeWatcher(replica.path) { [continuation] in continuation.yield(.file) }
        let looking = Task(executorPreference: transport.executor) { [synchronizer, notices, feed] in
            for await notice in notices {
                switch notice {
                case .own: await synchronizer.wroteLocally()
                case .file: await self.lookAtFile()
                }
                feed.publishAgain()
            }
        }
        replica.beginCopyingLog()
        var report = await withTaskCancellationHandler {
            await synchronizer.run()
        } onCancel: {
            Task { [synchronizer] in await synchronizer.stop() }
        }
        let fate = displaced.withLock { $0 }
        replica.leave(fate)
        replica.endCopyingLog()
        watcher = nil
        continuation.finish()
        looking.cancel()
        await looking.value
        await transport.shutdown()
        if fate != .inPlace {
            (report.state, report.isUpToDate, report.isTemporary, report.isRequested) = (fate.words, false, true, false)
        }
        feed.end(report.state)
        return report
    }

    /// Whether the session has ended because the replica's files are not in their place any more.
    package nonisolated var isDisplaced: Bool { displaced.withLock { $0 != .inPlace } }

    /// Checks whether the files are still in their place, and then for local changes.
    private nonisolated func lookAtFile() async {
        let fate = replica.fate
        var found = fate == .inPlace && lease.isLost ? .lockReplaced : fate
        if found == .inPlace, await hasOtherToken { found = .tokenReplaced }
        guard found == .inPlace else {
            displaced.withLock { [found] in $0 = found }
            return await synchronizer.stop()
        }
        if replica.switchLogOnAgain() == true { notice("the write-ahead log is on again") }
        await synchronizer.localChange()
    }

    /// Whether another program has written the token file.
    private nonisolated var hasOtherToken: Bool {
        get async {
            let sign = FileSign(of: "\(replica.path)-token")
            let isWritten = tokenFile.withLock { known in
                defer { known = sign }
                return known != sign
            }
            guard isWritten, let token = try? replica.membership()?.token, !token.isEmpty else { return false }
            return await !synchronizer.uses(token)
        }
    }

    /// Reports a change of this process at once. Changes of other processes are detected without a call. Returns before the change is
    /// sealed and sent.
    public nonisolated func localChange() { continuation.yield(.own) }

    /// Retries at once. Call it when the network is back, or when the user asks.
    ///
    /// Waits between attempts end, but no attempt starts sooner than 0.5 s after a failure, or sooner than the server demands. Local
    /// changes that the server has refused for a reason that can be removed are resent with each call: the device was a viewer, the
    /// scope had no room, the clock was ahead. They are also resent every 15 minutes. Without pending work, or in a session that does
    /// not run, the call has no effect.
    public nonisolated func wake() async { await synchronizer.wake() }

    /// Searches the file for local changes, like ``localChange()``, and waits until the session's state includes them.
    nonisolated func searchOutbox() async { await synchronizer.wroteLocally() }

    /// Returns the number of records with pending changes, and the time of the last exchange, in milliseconds since 1970; `nil` where
    /// the file cannot be read.
    func pending() -> (waiting: Int, lastContact: Int64?)? { try? replica.pending() }

    /// Ends the session. Pending changes stay in the replica. The session cannot run again; a new one can.
    public func stop() async { await synchronizer.stop() }
}
