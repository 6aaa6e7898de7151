internal import Session

/// The state of a replica's synchronisation.
///
///     let session = try LiveSession(replica) { state in
///         if case .offline = state { print("Changes are kept until the server is back.") }
///     }
public enum SessionState: Hashable, Sendable, CustomStringConvertible {
    /// Not started yet, or stopped on request.
    case notRunning
    /// Local changes are on their way to the server.
    case pushing
    /// Changes of other devices are on their way here.
    case pulling
    /// Nothing is pending here or, as the server said last, at the server.
    case upToDate
    /// The server cannot be reached. The session tries again.
    case offline(reason: String)
    /// The server or the replica's file is temporarily unable. The session tries again.
    case waiting(reason: String)
    /// Local changes stay here until the user acts, as those of a viewer do. Changes of other devices still arrive.
    case blocked(reason: String)
    /// Neither local changes nor those of other devices move until the user acts.
    case stopped(reason: String)

    init(_ state: SyncState) {
        self =
            switch state {
            case .notRunning: .notRunning
            case .pushing: .pushing
            case .pulling: .pulling
            case .upToDate: .upToDate
            case .offline(let reason, _, _): .offline(reason: reason.message)
            case .waiting(let reason, _, _): .waiting(reason: reason.message)
            case .blocked(let reason, _): .blocked(reason: reason.message)
            case .stopped(let reason, _): .stopped(reason: reason.message)
            }
    }

    /// Whether synchronisation is impeded, for now or until the user acts.
    public var isImpeded: Bool {
        switch self {
        case .notRunning, .pushing, .pulling, .upToDate: false
        case .offline, .waiting, .blocked, .stopped: true
        }
    }

    /// The reason why synchronisation is impeded, and the next step for the user; `nil` if it is not.
    public var reason: String? {
        switch self {
        case .notRunning, .pushing, .pulling, .upToDate: nil
        case .offline(let reason), .waiting(let reason), .blocked(let reason), .stopped(let reason): reason
        }
    }

    /// The state in English words, without the reason: short enough for a line of a view.
    public var name: String {
        switch self {
        case .notRunning: "not running"
        case .pushing: "pushing"
        case .pulling: "pulling"
        case .upToDate: "up to date"
        case .offline: "offline"
        case .waiting: "waiting"
        case .blocked: "local changes wait"
        case .stopped: "stopped"
        }
    }

    /// The state in English words, with the reason, for logs.
    public var description: String { reason.map { "\(name): \($0)" } ?? name }
}
