import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Testing

@Suite struct SyncDriverTests {
    /// The reply to a repeated push is the first reply, with its time.
    @Test func replyToAPushTeachesNoTime() throws {
        let server = try ScriptedServer()
        try server.write("Ana")
        let push = try #require(try server.start())
        let body = try #require(push.request.pushed)
        let pull = try #require(server.answer(push, try server.accepted(body, serverTime: 1_000_000)))
        #expect(try server.clockOffset == 0)
        // The time of a page is fresh. This one is an hour ahead of this machine's.
        let ahead = UInt64(clamping: server.wall + 3_600_000)
        _ = server.answer(pull, server.page(digest: nil, serverTime: ahead))
        #expect(abs(try server.clockOffset - 3_600_000) < 60_000)
    }

    /// The push is kept and resent later: the server has its reply.
    @Test(arguments: [0, 2, -1])
    func replyThatDoesNotSettleAPushIsNotTaken(results: Int) throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.write("Ana")
        let push = try #require(try server.start())
        let body = try #require(push.request.pushed)
        let accepted = PushReply.Result.accepted(sequence: 1, outcomes: [])
        let settled = results < 0 ? [.staged] : Array(repeating: accepted, count: results)
        let next = server.answer(push, .push(PushReply(number: 1, results: settled, serverTime: 0)))
        #expect(next?.request.pushed == nil)
        if let next { #expect(server.answer(next, server.page(digest: nil))?.request.pushed == nil) }
        server.now = server.now.advanced(by: .seconds(120))
        #expect(server.timerFired()?.request.pushed == body)
        #expect(try server.replica.status().waiting == 1)
        #expect(server.report.notices == [])
    }

    /// A proxy refuses a push that cannot be smaller, and the connection breaks before the server reports whether it has stored the push. By
    /// the time of the next attempt, the device may have another way to the server.
    @Test func pushThatWasTooLargeForAnEarlierWayIsSentOnceMore() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.write("Ana")
        let push = try #require(try server.start())
        let body = try #require(push.request.pushed)
        let question = try #require(server.fail(push, .bodyRefused(message: "413")))
        #expect(question.request == .pushReply(number: 1, hash: SHA256Digest.of(body)))
        if let pull = server.fail(question) { _ = server.fail(pull) }
        server.now = server.now.advanced(by: .seconds(120))
        let again = try #require(server.timerFired())
        #expect(again.request == .pushReply(number: 1, hash: SHA256Digest.of(body)))
        let repeated = try #require(server.answer(again, .pushIsNotStored))
        #expect(repeated.request == .push(body))
        let last = try #require(server.fail(repeated, .bodyRefused(message: "413")))
        #expect(last.request == .pushReply(number: 1, hash: SHA256Digest.of(body)))
        #expect(server.answer(last, .pushIsNotStored)?.request.pushed == nil)
    }

    @Test func copiedFileAsksForAnIdentityFirstAndUsesIt() throws {
        let server = try ScriptedServer()
        try server.write("Ana")
        try server.forgetPlace()
        let renewal = try #require(try server.start())
        guard case .renew(_, let nonce) = renewal.request else {
            Issue.record("\(renewal)")
            return
        }
        #expect((8...64).contains(nonce.utf8.count))
        #expect(renewal.token == "old token")
        let push = try #require(server.answer(renewal, server.registration(9)))
        #expect(push.token == "new token")
        let request = try PushRequest(protobuf: try #require(push.request.pushed))
        #expect(request.number == 1)
        #expect(request.transactions[0].changes[0].stamp.replica == ReplicaID(rawValue: 9))
        #expect(server.report.notices.count == 1)
    }

    /// Nothing is pulled under an identity that another file may have: the server would leave out the changes of that file.
    @Test func nothingIsPulledBeforeACopyHasItsIdentity() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.forgetPlace()
        let renewal = try #require(try server.start())
        #expect(server.fail(renewal) == nil)
        server.now = try #require(server.deadline)
        let again = try #require(server.timerFired())
        #expect(again.request == renewal.request, "the nonce stays")
    }

    @Test func answerToAPullOfTheOldIdentityIsNotTaken() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        let first = try #require(try server.start())
        let poll = try #require(server.answer(first, server.page(digest: ScopeDigest())))
        try server.write("Ana")
        let push = try #require(server.localChange())
        let renewal = try #require(server.refuse(push, .replicaForked))
        let pushAgain = try #require(server.answer(renewal, server.registration(9)))
        let state = RecordState(key: RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: 5)))
        #expect(server.answer(poll, server.page([state], digest: nil)) == nil)
        #expect(pushAgain.token == "new token")
        #expect(try server.replica.checkpoint() == [1, 2, 3])
    }

    /// The names are requested concurrently with the first page, not after it.
    @Test(arguments: [true, false])
    func namesOfDevicesAreWantedWhereAReplicaBegins(begins: Bool) throws {
        let server = try ScriptedServer()
        if !begins { _ = try server.replica.apply([], checkpoint: [9], serverTime: nil) }
        #expect(try server.start()?.request == .pull(since: begins ? nil : [9], waitSeconds: 0))
        #expect(server.wantsDevices == begins)
    }

    /// No page contains a role that an owner changes.
    @Test func aViewerAsksForItsRole() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.replica.setDevices([(ReplicaID(rawValue: 1), "a", "viewer")])
        #expect(try server.replica.membership()?.role == .viewer)
        _ = try server.start()
        #expect(server.wantsDevices)
    }

    @Test func anEditorWhoIsRefusedAsksForItsRole() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let push = try #require(try server.start())
        #expect(!server.wantsDevices)
        _ = server.refuse(push, .forbidden)
        #expect(server.wantsDevices)
    }

    /// The server's refusal does not contain the record. The answer to the poll follows a checkpoint that was discarded.
    @Test func answerToAPollIsNotTakenOnceEverythingIsToBePulled() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        let first = try #require(try server.start())
        let second = try #require(server.answer(first, server.page(digest: ScopeDigest())))
        let poll = try #require(server.answer(second, .pull(server.page("Eve"))))
        let eve = RecordID(high: 5, low: 5)
        try server.replica.write("rename") { try $0.put("Person", id: eve, ["name": .string("Eva")]) }
        let push = try #require(server.localChange())
        let body = try #require(push.request.pushed)
        let refused = PushReply.Result.refused(.init(code: .forbidden, message: "No"))
        let number = try PushRequest(protobuf: body).number
        let reply = PushReply(number: number, results: [refused], serverTime: 0)
        let anew = try #require(server.answer(push, .push(reply)))
        #expect(server.answer(poll, server.page([], digest: nil)) == nil)
        #expect(anew.request == .pull(since: nil, waitSeconds: 0))
        _ = server.answer(anew, .pull(server.page("Eve")))
        #expect(try server.replica.select("select name from person") == [[.string("Eve")]])
        #expect(try server.replica.status().pullingAnew == nil)
    }

    /// The row disappears with a change that the server never accepts, and has to be there again at the end of the session.
    @Test func recordWhoseEditIsSetAsideIsPulledBeforeTheEnd() throws {
        let server = try ScriptedServer()
        let eve = RecordID(high: 5, low: 5)
        let page = server.page("Eve")
        _ = try server.replica.apply(page.records, checkpoint: page.checkpoint.bytes, serverTime: nil)
        try server.replica.write("rename") { try $0.put("Person", id: eve, ["name": .string("Eva")]) }
        let push = try #require(try server.start())
        let pull = try #require(server.refuse(push, .tooLarge))
        let anew = try #require(server.answer(pull, server.page(digest: nil)))
        #expect(anew.request == .pull(since: nil, waitSeconds: 0))
        #expect(server.answer(anew, .pull(page)) == nil)
        #expect(server.outcome == .upToDate)
        #expect(try server.replica.select("select name from person") == [[.string("Eve")]])
        #expect(try server.replica.journal().map(\.outcome) == [.refused])
    }

    @Test func poisonIsFoundBetweenTheOthersAndSetAsideOnceThePullWorks() throws {
        let server = try ScriptedServer()
        for name in ["Ana", "Bob", "Poison", "Chloé", "Dan"] { try server.write(name) }
        var order = try server.start()
        var taken: [String] = []
        for _ in 0..<40 {
            guard let next = order else { break }
            switch next.request {
            case .push(let body) where String(decoding: body, as: UTF8.self).contains("Poison"),
                .pushAndPull(let body, _, _) where String(decoding: body, as: UTF8.self).contains("Poison"):
                order = server.refuse(next, .badRequest)
            case .push(let body), .pushAndPull(let body, _, _):
                taken += try PushRequest(protobuf: body).transactions.map { "\($0.changes.count)" }
                order = server.answer(next, try server.accepted(body, serverTime: 0))
            case .pull: order = server.answer(next, server.page(digest: nil))
            default:
                Issue.record("\(next)")
                order = nil
            }
        }
        #expect(server.outcome == .upToDate)
        #expect(taken.count == 4)
        #expect(server.report.refused == 1)
        let entry = try #require(try server.replica.journal().first)
        #expect(entry.outcome == .refused)
        #expect(String(decoding: entry.put ?? [], as: UTF8.self).contains("Poison"))
    }

    /// A server that fails over every push soon counts as faulty itself.
    @Test func failingServerLosesNoMoreThanOneTransactionFromTheOutbox() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        for name in ["Ana", "Bob", "Chloé", "Dan"] { try server.write(name) }
        var waiting: [SyncDriver.Order] = []
        if let order = try server.start() { waiting.append(order) }
        for _ in 0..<200 {
            server.now = server.now.advanced(by: .seconds(60))
            if let order = server.timerFired() { waiting.append(order) }
            guard !waiting.isEmpty else { continue }
            let order = waiting.removeFirst()
            if order.request.pushed != nil {
                if let next = server.refuse(order, .internalError) { waiting.append(next) }
            } else if let next = server.answer(order, server.page(digest: nil)) {
                waiting.append(next)
            }
        }
        #expect(try server.replica.journal().count == 1)
        #expect(try server.replica.status().waiting == 3)
    }

    /// A page that the server read before a push names a record as purged that the push has created again.
    @Test func pageThatAPushHasOvertakenTakesNothingAway() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        let pull = try #require(try server.start())
        try server.write("Ana")
        let push = try #require(server.localChange())
        let body = try #require(push.request.pushed)
        #expect(server.answer(push, try server.accepted(body)) == nil)
        let digest = try server.replica.digest()
        let again = try #require(server.answer(pull, server.page(purged: "Ana")))
        #expect(again.request == .pull(since: nil, waitSeconds: 0))
        #expect(try server.replica.digest() == digest)
        // No push overlaps this page. The pending changes follow it.
        try server.write("Bob")
        #expect(server.localChange() == nil)
        let next = try #require(server.answer(again, server.page([], digest: nil)))
        #expect(next.request.pushed != nil)
        #expect(try server.replica.checkpoint() == [1, 2, 3])
    }

    /// The reply to a push is lost, and its changes are purged.
    @Test func namesOfPurgedRecordsComeAfterTheAnswerToAPush() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.write("Ana")
        let push = try #require(try server.start())
        let pull = try #require(server.fail(push))
        #expect(server.answer(pull, server.page(purged: "Ana")) == nil)
        #expect(try server.replica.checkpoint() == nil)
        server.now = try #require(server.deadline)
        let repeated = try #require(server.timerFired())
        #expect(repeated.request.pushed == push.request.pushed)
        let body = try #require(repeated.request.pushed)
        let again = try #require(server.answer(repeated, try server.accepted(body)))
        _ = server.answer(again, server.page(purged: "Ana"))
        #expect(try server.replica.digest() == ScopeDigest())
        #expect(try server.replica.select("select name from person") == [])
    }

    @Test func pushThatIsNeverAnsweredKeepsNothingAwayForLong() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.write("Ana")
        var order = try server.start()
        for _ in 0..<3 {
            let push = try #require(order)
            let pull = try #require(server.fail(push))
            #expect(server.answer(pull, server.page(purged: "Eve")) == nil)
            server.now = try #require(server.deadline)
            order = server.timerFired()
        }
        let push = try #require(order)
        let pull = try #require(server.fail(push))
        #expect(server.answer(pull, server.page(purged: "Eve"))?.request == .pull(since: [1, 2, 3], waitSeconds: 50))
    }

    /// The server holds a part of a transaction whose rest was restamped, because a page has beaten the change that tied it together. The
    /// server would take the next push for the rest. A new identity discards the part, so that no half of the transaction shows.
    @Test func whatWasSentInPartIsSentFromItsBeginningUnderANewIdentity() throws {
        var limits = Limits()
        limits.changesPerPushMax = 2
        let server = try ScriptedServer(.continuous(waitSeconds: 50), limits: limits)
        let first = try #require(try server.start())
        let poll = try #require(server.answer(first, server.page(digest: ScopeDigest())))
        let tie = RecordID(high: 5, low: 5)
        // A transaction of the session's own program would be sealed before the second one is written.
        let other = try Replica(opening: server.replica.path, durability: .normal)
        defer { try? other.close() }
        func write(_ names: [String]) throws {
            try other.write("two") {
                for name in names { try $0.put("Person", id: server.key(name).id, ["name": .string(name)]) }
                try $0.put("Person", id: tie, ["name": .string("tie of \(names[0])")])
            }
        }
        try write(["Ana"])
        try write(["Bob", "Chloé"])
        let part = try #require(server.localChange())
        let body = try #require(part.request.pushed)
        let number = try PushRequest(protobuf: body).number
        let staged = PushReply(number: number, results: [.staged], serverTime: 0)
        let rest = try #require(server.answer(part, .push(staged)))
        _ = server.answer(poll, .pull(server.page("Eve", at: UInt64(server.wall + 60_000) << 16)))
        let renewal = try #require(server.refuse(rest, .clockAhead, serverTime: UInt64(server.wall)))
        guard case .renew = renewal.request else {
            Issue.record("\(renewal)")
            return
        }
        let again = try #require(server.answer(renewal, server.registration(9)))
        let push = try PushRequest(protobuf: try #require(again.request.pushed))
        #expect(push.number == 1)
        #expect(push.transactions.map(\.continues) == [false])
        #expect(push.transactions[0].changes.map(\.key) == [server.key("Ana")])
    }

    @Test func restoredServerGetsBackWhatItLost() throws {
        let server = try ScriptedServer()
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: 5))
        let stamp = HybridTimestamp(time: 1 << 16, replica: ReplicaID(rawValue: 2))
        let put = Put(references: [], content: server.content("Eve")).encoded()
        let state = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put))
        _ = try server.replica.apply([state], checkpoint: [9], serverTime: nil)
        let pull = try #require(try server.start())
        let anew = try #require(server.refuse(pull, .historyChanged))
        #expect(anew.request == .pull(since: nil, waitSeconds: 0))
        let recover = try #require(server.answer(anew, server.page(digest: ScopeDigest())))
        #expect(recover.request == .recover([state]))
        let last = try #require(server.answer(recover, .recovered(RecoverReply(stored: 1, serverTime: 0))))
        _ = server.answer(last, server.page(digest: try server.replica.digest()))
        #expect(server.outcome == .upToDate)
        #expect(server.report.broughtBack == 1)
        #expect(try server.replica.select("select name from person") == [[.string("Eve")]])
    }
}
