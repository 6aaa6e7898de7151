@testable import Session

/// A lane in each state of the table, and each of its events.
enum PushLaneSamples {
    static let reason = StopReason(.forbidden, "A viewer cannot push")
    static let events: [String: @Sendable (inout PushLane) -> SyncAction?] = [
        "start": { $0.start() },
        "local change": {
            $0.localChange()
            return nil
        },
        "wake": {
            $0.wake()
            return nil
        },
        "sealed nothing": { $0.sealed(nil) },
        "sealed a push": { $0.sealed(7) },
        "replied": { $0.replied(to: 7) },
        "replied to another push": { $0.replied(to: 8) },
        "acknowledged": { $0.acknowledged() },
        "restamp": { $0.restamp(serverTime: 1) },
        "restamp a third time": { $0.restamp(serverTime: 1) },
        "restamped": { $0.restamped() },
        "failed": {
            $0.failed()
            return nil
        },
        "block": {
            $0.block(reason, at: Moment(milliseconds: 1))
            return nil
        },
    ]

    /// The events that lead from a start to each state.
    private static let paths: [String: (OutboxState, [String])] = [
        "idle": (.empty, []),
        "due": (.waiting, []),
        "sendDue": (.sealed(number: 7), []),
        "sealing": (.waiting, ["start"]),
        "sealing+": (.waiting, ["start", "local change"]),
        "sending": (.sealed(number: 7), ["start"]),
        "acknowledging": (.sealed(number: 7), ["start", "replied"]),
        "restamping": (.sealed(number: 7), ["start", "restamp"]),
        "blocked": (.sealed(number: 7), ["start", "block"]),
    ]

    static func lane(for cell: SessionTable.Cell) -> PushLane? {
        guard let (outbox, events) = paths[cell.state] else { return nil }
        var lane = PushLane(outbox)
        let again = ["restamp", "restamped", "sealed a push"]
        let restamps = cell.event == "restamp a third time" && cell.state == "sending" ? again + again : []
        for event in events + restamps { _ = Self.events[event]?(&lane) }
        return lane
    }

    static func name(_ state: PushLane.State) -> String {
        switch state {
        case .idle: "idle"
        case .due: "due"
        case .sendDue: "sendDue"
        case .sealing(let hasChanged): hasChanged ? "sealing+" : "sealing"
        case .sending: "sending"
        case .acknowledging: "acknowledging"
        case .restamping: "restamping"
        case .blocked: "blocked"
        }
    }
}
