internal import Logging
internal import Replica
internal import Roost
internal import ServiceLifecycle
internal import Synchronization
internal import Terminal

/// A service that keeps one replica synchronised until it is stopped.
///
/// A file that cannot be opened, or no longer, is retried until it can, and a session that ends by itself is followed by another
/// one. Other replicas of the program are synchronised meanwhile.
final class ReplicaService: Service {
    /// An open file, and the session that synchronises it.
    private struct Open {
        let replica: Replica
        let session: LiveSession
    }

    private struct State {
        /// The open file; `nil` between two sessions.
        var open: Open?
        var isStopping = false
        /// Whether ``wake()`` has requested an immediate attempt.
        var isWoken = false
        /// The exit status that the replica contributes to the program's.
        var status = ExitStatus.success
        /// The report of the last session that ended by itself, and how often in a row it was the same.
        var lastEnd: String?
        var repeats = 0
    }

    private let file: String
    private let bounds: SyncBounds
    private let logger: Logger
    private let state = Mutex(State())

    /// The seconds between two attempts to open a file: the first applies to a file that has not changed, the second
    /// to one that another program synchronises, the third to a session that needs user action or another server.
    private static let (retrySeconds, busySeconds, blockedSeconds) = (30, 2, 900)
    /// The number of doublings of the pause while sessions end in the same way: up to 16 hours.
    private static let doublingsMax = 6

    init(_ file: String, bounds: SyncBounds, logger: Logger) {
        var logger = logger
        logger[metadataKey: "replica"] = "\(file)"
        self.file = file
        self.bounds = bounds
        self.logger = logger
    }

    /// Opens the file for the first session.
    ///
    /// - Throws: The reason why it cannot be opened now; ``run()`` tries again.
    func open() throws {
        do {
            let open = try makeOpen()
            state.withLock { ($0.open, $0.status) = (open, .success) }
        } catch {
            state.withLock { $0.status = ExitStatus(error) }
            throw error
        }
    }

    private func makeOpen() throws -> Open {
        let (replica, repair) = try Replica.repairing(opening: file)
        for notice in repair?.notices ?? [] {
            logger.warning("Repaired the replica", metadata: ["notice": "\(notice)"])
        }
        if replica.isLogOff { logger.warning("\(replica.logOffNotice)") }
        if let notice = replica.namesNotice { logger.warning("\(notice)") }
        let session = try LiveSession(
            replica, bounds: bounds,
            observe: { [logger] state in
                logger.log(
                    level: state.isImpeded ? .warning : .info, "Synchronising", metadata: ["state": "\(state)"])
            },
            notice: { [logger] notice in logger.info("Synchronising", metadata: ["state": "\(notice)"]) })
        return Open(replica: replica, session: session)
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await runSessions()
        } onGracefulShutdown: { [self] in
            let session = state.withLock { state in
                state.isStopping = true
                return state.open?.session
            }
            Task { await session?.stop() }
        }
    }

    /// Retries immediately what is waiting for its next attempt.
    func wake() async {
        let session = state.withLock { state in
            state.isWoken = true
            state.lastEnd = nil
            return state.open?.session
        }
        await session?.wake()
    }

    /// The exit status that the replica contributes to the program's. A stop that requires user action is not a
    /// success, so that a supervisor can tell.
    var status: ExitStatus { state.withLock { $0.status } }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Runs one session after another until the daemon is stopped.
    private func runSessions() async {
        var reported: String?
        while !isStopping {
            // A request that comes during the attempt is for the pause after it.
            state.withLock { $0.isWoken = false }
            do {
                if state.withLock({ $0.open == nil }) {
                    try open()
                    if reported != nil { logger.info("Opened the replica again") }
                    reported = nil
                }
                switch await runSession() {
                case .again: break
                case .later(let seconds, let isOnChange): await pause(seconds: seconds, isOnChange: isOnChange)
                case .never: return
                }
            } catch {
                // An error is logged once, not with each attempt.
                if reported != "\(error)" {
                    logger.error("Cannot open the replica; it is tried again", metadata: ["error": "\(error)"])
                    reported = "\(error)"
                }
                await pause(seconds: status == .temporary ? Self.busySeconds : Self.retrySeconds, isOnChange: true)
            }
        }
    }

    /// The time of the next session after one has ended.
    private enum Next {
        case again
        /// After some seconds, or once a program has changed the file.
        case later(seconds: Int, isOnChange: Bool)
        /// The daemon was stopped.
        case never
    }

    /// Runs one session, and closes the file, which also releases the lock for synchronising it.
    private func runSession() async -> Next {
        guard let open = state.withLock({ $0.open }) else { return .again }
        // A stop that was requested while the file was being opened has found no session to stop.
        if isStopping { await open.session.stop() }
        let report = await open.session.run()
        let fate = open.replica.fate
        let isMigrated = open.replica.isMigratedElsewhere
        let isDisplaced = open.session.isDisplaced
        let isOutdated = Self.isOutdated(open.replica)
        state.withLock { $0.open = nil }
        try? open.replica.close()
        let result: Logger.Metadata = [
            "state": "\(report.state)", "pushed": "\(report.pushed)", "pulled": "\(report.pulled)",
        ]
        if !isStopping, isDisplaced {
            logger.warning("\(report.state)", metadata: ["pushed": "\(report.pushed)", "pulled": "\(report.pulled)"])
            state.withLock { $0.status = fate == .gone ? .noInput : .success }
            return .again
        }
        if isStopping || report.isRequested {
            let isWell = report.isUpToDate || report.isRequested
            logger.log(level: isWell ? .info : .error, "Synchronising ended", metadata: result)
            state.withLock { $0.status = isWell ? .success : report.isTemporary ? .temporary : .notPermitted }
            return .never
        }
        if isMigrated {
            logger.info("Opening the replica again: another program has migrated it")
            return .again
        }
        state.withLock { $0.status = report.isTemporary ? .temporary : .notPermitted }
        if report.isTemporary {
            logger.error("Synchronising ended, and is tried again", metadata: result)
            return .later(seconds: Self.retrySeconds, isOnChange: false)
        }
        if isOutdated {
            logger.error(
                "Synchronising waits until the replica is migrated, and tries again every 15 minutes", metadata: result)
            return .later(seconds: Self.blockedSeconds, isOnChange: true)
        }
        // The replica differs from a server that contradicts itself, or the file cannot be repaired here. Each attempt may pull
        // everything several times.
        let repeats = state.withLock { state in
            state.repeats = state.lastEnd == report.state ? min(state.repeats + 1, Self.doublingsMax) : 0
            state.lastEnd = report.state
            return state.repeats
        }
        let seconds = Self.blockedSeconds << repeats
        logger.error("Synchronising ended, and is tried again in \(seconds / 60) minutes", metadata: result)
        return .later(seconds: seconds, isOnChange: false)
    }

    /// Whether the scope demands a later schema than that of the file. Any device may publish one, so it ends no daemon.
    private static func isOutdated(_ replica: Replica) -> Bool {
        do {
            try replica.checkVersion()
            return false
        } catch let error as ReplicaError {
            return error.code == .schemaTooOld
        } catch {
            return false
        }
    }

    /// Waits until an attempt or a stop is requested, the file or its token file is replaced, or the time has passed.
    ///
    /// - Parameter isOnChange: Whether any change of the file ends the wait.
    private func pause(seconds: Int, isOnChange: Bool) async {
        let before = signs(isOnChange: isOnChange)
        for _ in 0..<seconds {
            guard (try? await cancelWhenGracefulShutdown({ try await Task.sleep(for: .seconds(1)) })) != nil else {
                return
            }
            let isOver = state.withLock { $0.isWoken || $0.isStopping }
            if isOver || signs(isOnChange: isOnChange) != before { return }
        }
    }

    private func signs(isOnChange: Bool) -> [AnyHashable] {
        let token = FileSign(of: file + "-token")
        return isOnChange ? [FileSign(of: file), token] : [FileNumber(of: file), token]
    }
}
