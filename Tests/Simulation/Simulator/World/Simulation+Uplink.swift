internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import Session

/// Proxies and slow links between a device and the server, and a server that runs without its data for a while.
extension Simulation {
    /// The largest bodies that get through from a device: a proxy refuses larger ones, a slow link does not deliver them in
    /// time.
    struct Uplink: Hashable {
        var bytesMax: Int
        var isSlow: Bool
    }

    func limitBodies(_ device: SimulatedDevice, _ bytesMax: Int, isSlow: Bool) {
        device.uplink = Uplink(bytesMax: bytesMax, isSlow: isSlow)
    }

    /// Makes a body that is too large for the uplink fail.
    ///
    /// - Returns: Whether it was too large.
    func isStopped(_ message: Message, of device: SimulatedDevice, patience: Int64) -> Bool {
        guard let uplink = device.uplink, message.request.bodyBytes > uplink.bytesMax else { return false }
        if uplink.isSlow {
            counts[.bodyTooSlow] += 1
            // The body may be buffered on the way, and arrive after the client has divided it.
            if Bool.random(using: &random) { repeatLater(message) }
            queue.add(.failure(message, .interrupted(message: "too slow")), at: clock.now + patience)
        } else {
            counts[.bodyRefused] += 1
            queue.add(.failure(message, .bodyRefused(message: "413 of a proxy")), at: clock.now + 10)
        }
        return true
    }

    /// Records a push that arrives while its device asks, or has asked, for its stored reply. It may have been divided
    /// meanwhile, and is then a fork for the server (decision 186).
    func noteLate(_ message: Message) {
        let lanes = underWay[message.device]?.values
        let isAsked = lanes?.contains { if case .pushReply = $0.request { true } else { false } }
        if message.request.isPush, isAsked == true { checks.madeAnew.insert(message.device) }
    }

    /// Returns whether a session may end because a single change is too large for the uplink. It continues after the limit is
    /// lifted.
    func isOverBodyLimit(_ reason: StopReason, _ device: SimulatedDevice) -> Bool {
        reason.kind == .tooLarge && device.uplink?.isSlow == false
    }

    /// Whether records that a restored server has lost may be brought back in several requests.
    var isRecoveryDivided: Bool {
        counts[.bodyRefused] > 0 || counts[.bodyTooSlow] > 0 || conditions.recordsPerRecover < 1000
            || conditions.bodyBytes < 4 << 20
    }

    /// The response of a server that runs on another folder: it knows no replica.
    static let unrecognised = SimulatedServer.Response.refused(
        ProtocolError(.unauthorized, "no such replica here").json.encoded)

    static let knowsNoToken = SimulatedServer.Response.message(JSONValue.object([]).encoded)

    var isServerEmpty: Bool { clock.now < emptyUntil }
}

extension SyncDriver.Request {
    /// The bytes of the body as a proxy counts them; 0 without a body.
    var bodyBytes: Int {
        switch self {
        case .push(let body): body.count
        case .pushAndPull(let body, let since, _): body.count + (since?.count ?? 0)
        case .recover(let records): RecoverRequest(records: records).protobuf().count
        case .connect, .pull, .pullAhead, .schema, .pushReply, .renew, .findToken: 0
        }
    }
}
