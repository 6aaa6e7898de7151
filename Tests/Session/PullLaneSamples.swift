import RoostModel

@testable import Session

/// A lane in each state of the table, and each of its events.
enum PullLaneSamples {
    static let now = Moment(milliseconds: 10_000)
    static let events: [String: @Sendable (inout PullLane) -> SyncAction?] = [
        "start": { $0.start(at: now, longPoll: 55) },
        "a push is sent": {
            _ = $0.share()
            return nil
        },
        "a page came with the reply": {
            $0.shared(page(3))
            return nil
        },
        "an empty page came with the reply": {
            $0.shared(page(0))
            return nil
        },
        "not applied with the reply": {
            $0.notAppliedWithReply()
            return nil
        },
        "a later schema came with the reply": {
            $0.shared(page(3, schemaVersion: 2))
            return nil
        },
        "no page came": {
            $0.shared(nil)
            return nil
        },
        "pulled the last page": { $0.replied(page(3), at: now) },
        "pulled a page, more follow": { $0.replied(page(3, hasMore: true), at: now) },
        "pulled nothing": { $0.replied(page(0), at: now) },
        "pulled nothing, more follow": { $0.replied(page(0, hasMore: true), at: now) },
        "pulled a later schema": { $0.replied(page(3, schemaVersion: 2), at: now) },
        "schema fetched": { $0.schemaFetched() },
        "applied, to poll": { action(of: $0.applied(.matches, at: now, longPoll: 55)) },
        "applied, not to poll": { action(of: $0.applied(.matches, at: now, longPoll: nil)) },
        "applied, digest differs": { action(of: $0.applied(.differs, at: now, longPoll: 55)) },
        "applied, contents damaged": { action(of: $0.applied(.damaged, at: now, longPoll: 55)) },
        "applied, the push lane first": {
            action(of: $0.applied(.matches, at: now, longPoll: 55, yields: true))
        },
        "applied, the server lost some": { action(of: $0.applied(.serverLost, at: now, longPoll: 55)) },
        "superseded": {
            $0.superseded()
            return nil
        },
        "full pull required": { $0.resynchronise(.historyChanged) },
        "full pull required a fourth time": { $0.resynchronise(.historyChanged) },
        "recovered some": { $0.recovered(hasMore: true, at: now) },
        "recovered all": { $0.recovered(hasMore: false, at: now) },
        "give up": { $0.giveUp(mayWrite: true) },
        "gave up": {
            $0.gaveUp()
            return nil
        },
        "all is pushed": { $0.pushed(at: now) },
        "all is pushed, nothing compared": { $0.pushed(at: now) },
        "look again": { $0.lookAgain(at: now) },
        "the checkpoint is gone": {
            $0.checkpointGone()
            return nil
        },
        "new identity": {
            $0.identityChanged()
            return nil
        },
        "resynchronised": { $0.resynchronised(at: now) },
        "failed": {
            $0.failed()
            return nil
        },
    ]

    /// The events that lead from a start to each state.
    private static let paths: [String: [String]] = [
        "due": [],
        "sharing": ["a push is sent"],
        "received": ["a push is sent", "a page came with the reply"],
        "received, later schema": ["a push is sent", "a later schema came with the reply"],
        "pulling": ["start"],
        "polling": toPolling,
        "fetching": ["start", "pulled a later schema"],
        "applying": ["start", "pulled the last page"],
        "applying with reply": ["a push is sent", "an empty page came with the reply"],
        "applying, more": ["start", "pulled a page, more follow", "the checkpoint is gone"],
        "applying, next requested": ["start", "pulled a page, more follow"],
        "applying, hasty": toPolling + ["pulled nothing"],
        "pausing": toPolling + ["pulled nothing", "applied, to poll"],
        "resynchronising": ["start", "pulled the last page", "applied, digest differs"],
        "recovering": toRecovering,
        "giving up": toRecovering + ["give up"],
        "idle": ["start", "pulled the last page", "applied, not to poll"],
    ]
    private static let toRecovering = ["start", "pulled the last page", "applied, the server lost some"]
    private static let toPolling = ["start", "pulled the last page", "applied, to poll"]

    static func lane(for cell: SessionTable.Cell) -> PullLane? {
        guard let events = paths[cell.state] else { return nil }
        var lane = PullLane(schemaVersion: 1)
        let back = ["full pull required", "resynchronised"]
        let isFourth = cell.event == "full pull required a fourth time" && cell.state == "pulling"
        for event in events + (isFourth ? back + back + back : []) {
            if cell.event == "all is pushed, nothing compared",
                ["applied, to poll", "applied, not to poll"].contains(event)
            {
                _ = lane.applied(.notCompared, at: now, longPoll: event == "applied, to poll" ? 55 : nil)
            } else {
                _ = Self.events[event]?(&lane)
            }
        }
        return lane
    }

    static func name(_ state: PullLane.State) -> String {
        switch state {
        case .due: "due"
        case .sharing: "sharing"
        case .applyingWithReply: "applying with reply"
        case .received(let page): page.schemaVersion > 1 ? "received, later schema" : "received"
        case .pausing: "pausing"
        case .pulling(let waitSeconds, _): waitSeconds > 0 ? "polling" : "pulling"
        case .fetchingSchema: "fetching"
        case .applying(_, _, isNextRequested: true): "applying, next requested"
        case .applying(_, pause: .some, _): "applying, hasty"
        case .applying(let page, pause: nil, _): page.hasMore ? "applying, more" : "applying"
        case .resynchronising: "resynchronising"
        case .recovering: "recovering"
        case .givingUp: "giving up"
        case .idle: "idle"
        }
    }

    private static func page(_ count: Int, hasMore: Bool = false, schemaVersion: Int = 1) -> PageSummary {
        PageSummary(count: count, hasMore: hasMore, schemaVersion: schemaVersion)
    }

    private static func action(of applied: PullLane.Applied) -> SyncAction? {
        switch applied {
        case .next(let action), .upToDate(let action): action == .wait ? nil : action
        case .stillDiffers: nil
        }
    }
}
