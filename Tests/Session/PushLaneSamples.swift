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
        "parts left": { $0.leftParts() },
        "the checkpoint is gone": {
            $0.checkpointGone()
            return nil
        },
        "replied": { $0.replied(to: 7) ? .acknowledge(number: 7) : nil },
        "replied to another push": { $0.replied(to: 8) ? .acknowledge(number: 8) : nil },
        "acknowledged": { $0.acknowledged() },
        "acknowledged, a page first": { $0.acknowledged(pauses: true) },
        "restamp": { $0.restamp(serverTime: 1) },
        "restamp a third time": { $0.restamp(serverTime: 1) },
        "restamped": { $0.restamped() },
        "renew": { $0.renew(.forked) },
        "renew a third time": { $0.renew(.forked) },
        "renewed": { $0.renewed() },
        "recall": { $0.recall() },
        "divide": { $0.divide(reason, at: Moment(milliseconds: 1)) },
        "divided": { $0.divided(true) },
        "not divided": { $0.divided(false) },
        "trust": { $0.trustServer() },
        "set aside": { $0.wasSetAside() },
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
        "manyDue": (.many, []),
        "preconnecting": (.many, ["start"]),
        "sendDue": (.sealed(number: 7), []),
        "sealing": (.waiting, ["start"]),
        "sealing+": (.waiting, ["start", "local change"]),
        "sending": (.sealed(number: 7), ["start"]),
        "acknowledging": (.sealed(number: 7), ["start", "replied"]),
        "restamping": (.sealed(number: 7), ["start", "restamp"]),
        "blocked": (.sealed(number: 7), ["start", "block"]),
        "renewing": (.sealed(number: 7), ["start", "renew"]),
        "renewDue": (.sealed(number: 7), ["start", "renew", "failed"]),
        "recalling": (.sealed(number: 7), ["start", "recall"]),
        "dividing": (.sealed(number: 7), ["start", "divide"]),
        "doubted": (.sealed(number: 7), ["start", "divide", "not divided"]),
        "settingAside": (.sealed(number: 7), ["start", "divide", "not divided", "trust"]),
    ]

    static func lane(for cell: SessionTable.Cell) -> PushLane? {
        guard let (outbox, events) = paths[cell.state] else { return nil }
        var lane = PushLane(outbox)
        let again =
            switch (cell.event, cell.state) {
            case ("restamp a third time", "sending"): ["restamp", "restamped", "sealed a push"]
            case ("renew a third time", "sending"): ["renew", "renewed", "sealed a push"]
            default: [String]()
            }
        for event in events + again + again { _ = Self.events[event]?(&lane) }
        return lane
    }

    static func name(_ state: PushLane.State) -> String {
        switch state {
        case .idle: "idle"
        case .due: "due"
        case .manyDue: "manyDue"
        case .preconnecting: "preconnecting"
        case .sendDue: "sendDue"
        case .sealing(let hasChanged): hasChanged ? "sealing+" : "sealing"
        case .sending: "sending"
        case .acknowledging: "acknowledging"
        case .restamping: "restamping"
        case .blocked: "blocked"
        case .renewDue: "renewDue"
        case .renewing: "renewing"
        case .recalling: "recalling"
        case .dividing: "dividing"
        case .doubted: "doubted"
        case .settingAside: "settingAside"
        }
    }
}
