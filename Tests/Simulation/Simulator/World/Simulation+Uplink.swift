internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import Session

/// Proxies and slow links between a device and the server, and a server that runs without its data for a while.
extension Simulation {
    /// The largest bodies that get through from a device: a proxy refuses larger ones, a slow link does not bring them in time.
    struct Uplink: Hashable {
        var bytesMax: Int
        var isSlow: Bool
    }

    func limitBodies(_ device: SimulatedDevice, _ bytesMax: Int, isSlow: Bool) {
        device.uplink = Uplink(bytesMax: bytesMax, isSlow: isSlow)
    }

    /// Lets a body that is too large for the uplink fail.
    ///
    /// - Returns: Whether it was.
    func isStopped(_ message: Message, of device: SimulatedDevice, patience: Int64) -> Bool {
        guard let uplink = device.uplink, message.request.bodyBytes > uplink.bytesMax else { return false }
        if uplink.isSlow {
            counts[.bodyTooSlow] += 1
            // It may be buffered on the way, and arrive when the client has divided it.
            if Bool.random(using: &random) { repeatLater(message) }
            queue.add(.failure(message, .interrupted(message: "too slow")), at: clock.now + patience)
        } else {
            counts[.bodyRefused] += 1
            queue.add(.failure(message, .bodyRefused(message: "413 of a proxy")), at: clock.now + 10)
        }
        return true
    }

    /// A push that arrives when its device asks, or has asked, whether it is stored: it may be divided meanwhile, and is a fork to the
    /// server then (decision 186).
    func noteLate(_ message: Message) {
        let lanes = underWay[message.device]?.values
        let isAsked = lanes?.contains { if case .pushReply = $0.request { true } else { false } }
        if message.request.isPush, isAsked == true { checks.madeAnew.insert(message.device) }
    }

    /// Whether a session may end because a single change is too large for the uplink: the session continues when the limit is lifted.
    func isOverBodyLimit(_ reason: StopReason, _ device: SimulatedDevice) -> Bool {
        reason.kind == .tooLarge && device.uplink?.isSlow == false
    }

    /// Whether records that a restored server has lost may be brought back in several requests.
    var isRecoveryDivided: Bool {
        counts[.bodyRefused] > 0 || counts[.bodyTooSlow] > 0 || conditions.recordsPerRecover < 1000
            || conditions.bodyBytes < 4 << 20
    }

    /// A server that runs on another folder knows nobody.
    static let unrecognised = SimulatedServer.Response.refused(
        ProtocolError(.unauthorized, "no such replica here").json.encoded)

    static let knowsNoToken = SimulatedServer.Response.message(JSONValue.object([]).encoded)

    var isServerEmpty: Bool { clock.now < emptyUntil }
}

extension SyncDriver.Request {
    /// Bytes of the body as a proxy counts them; a request without one has none.
    var bodyBytes: Int {
        switch self {
        case .push(let body): body.count
        case .pushAndPull(let body, let since): body.count + (since?.count ?? 0)
        case .recover(let records): RecoverRequest(records: records).protobuf().count
        case .pull, .pullAhead, .schema, .pushReply, .renew, .findToken: 0
        }
    }
}
