import BenchmarkData
import Replica
import Roost
import RoostModel
import RoostProtocol
import RoostService
import Session

/// A replica whose session exchanges messages with a server without a network.
struct DrivenReplica {
    let replica: Replica
    private let server: ServedScope
    private let member: Principal

    init(_ replica: Replica, _ server: ServedScope, _ member: Principal) throws {
        self.replica = replica
        self.server = server
        self.member = member
        try replica.join(
            Membership(
                scope: member.scopeID, scopeName: "benchmark", replica: member.replica, server: "http://localhost",
                token: "token", role: .editor, deviceName: "device"))
    }

    /// Runs a session once.
    func synchronise() async throws {
        var driver = SyncDriver(replica, .once(attemptsMax: 1), seed: 1, wallClock: { Int64(ServedScope.now) })
        var time: Int64 = 0
        var order = try driver.start(at: Moment(milliseconds: time))
        while driver.isUnfinished { order = driver.resume(at: Moment(milliseconds: time)) ?? order }
        while let next = order {
            let answer = try await answer(next)
            time += 1
            order = driver.handle(.received(next, .success(answer)), at: Moment(milliseconds: time))
            while driver.isUnfinished { order = driver.resume(at: Moment(milliseconds: time)) ?? order }
        }
        guard driver.outcome == .upToDate else { throw BenchmarkError("A session ended: \(driver.report.state)") }
    }

    private func answer(_ order: SyncDriver.Order) async throws -> SyncDriver.Answer {
        switch order.request {
        case .push(let body): return .push(try PushReply(protobuf: try await server.push(body, by: member)))
        case .pushAndPull(let body, let since, _):
            let page = PageRequest(since: since.map { Checkpoint(bytes: $0) })
            return .push(try PushReply(protobuf: try await server.push(body, by: member, page: page)))
        case .pull(let since, _):
            let checkpoint = since.map { Checkpoint(bytes: $0) }
            return .pull(try PullReply(protobuf: try await server.pull(since: checkpoint, for: member)))
        case .connect, .pullAhead, .pushReply, .renew, .schema, .recover, .findToken:
            throw BenchmarkError("A session asks for what it should not need.")
        }
    }
}
