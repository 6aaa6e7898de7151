import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Testing

/// A server that was restored from a backup does not know the replica's token, but may know an earlier one.
@Suite struct EarlierTokenTests {
    /// A replica with a third token, after two earlier ones.
    private func server(_ mode: SyncMode = .once(attemptsMax: 3)) throws -> ScriptedServer {
        let server = try ScriptedServer(mode)
        for (number, token) in ["second token", "third token"].enumerated() {
            try server.replica.renew(
                as: ReplicaID(rawValue: UInt64(number + 2)), token: token, with: server.replica.sessionStart().token,
                role: "editor", reason: "Restored.")
        }
        return server
    }

    private func hashes(_ tokens: String...) -> SyncDriver.Request {
        .findToken(tokens.map { SHA256Digest.of(Array($0.utf8)) })
    }

    @Test func theTokenThatTheServerKnowsLetsTheReplicaIn() throws {
        let server = try server()
        try server.write("waiting")
        let push = try #require(try server.start())
        #expect(push.token == "third token")
        let question = try #require(server.refuse(push, .unauthorized))
        #expect(question.request == hashes("third token", "second token", "old token"))
        // The request reveals no token.
        #expect(question.token == "")
        let renewal = try #require(server.answer(question, .foundToken(2)))
        guard case .renew(let reason, _) = renewal.request else {
            Issue.record("\(renewal)")
            return
        }
        #expect(renewal.token == "old token" && reason.contains("an earlier one"))
        // Nothing has changed yet.
        #expect(try server.replica.sessionStart().token == "third token")
        let again = try #require(server.answer(renewal, server.registration(9)))
        #expect(again.token == "new token")
        let body = try #require(again.request.pushed)
        #expect(
            try PushRequest(protobuf: body).transactions.first?.changes.first?.stamp.replica == ReplicaID(rawValue: 9))
        #expect(try server.replica.sessionStart().token == "new token")
        #expect(
            try server.replica.earlierTokens() == ["new token", "third token", "second token", "old token"])
    }

    /// A pull discovers the unknown token where nothing is to be pushed.
    @Test func aPullLooksForItToo() throws {
        let server = try server(.continuous(waitSeconds: 50))
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        let renewal = try #require(server.answer(question, .foundToken(1)))
        #expect(renewal.token == "second token")
        let next = try #require(server.answer(renewal, server.registration(9)))
        guard case .pull(_, waitSeconds: 0) = next.request else {
            Issue.record("\(next)")
            return
        }
        #expect(next.token == "new token")
    }

    /// Each token is tried once in a contact, and the report says that none is known.
    @Test func nothingIsTriedTwiceInOneContact() throws {
        let server = try server()
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        #expect(server.answer(question, .foundToken(nil)) == nil)
        guard case .stopped(let reason) = server.outcome else {
            Issue.record("the session goes on")
            return
        }
        #expect(reason.kind == .unauthorized)
        #expect(
            reason.message.contains("none of the earlier tokens") && reason.message.contains("roost join LINK FILE"))
        #expect(try server.replica.sessionStart().token == "third token")
    }

    @Test func aSessionThatGoesOnAsksAgainInFiveMinutes() throws {
        let server = try server(.continuous(waitSeconds: 50))
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        #expect(server.answer(question, .foundToken(nil)) == nil)
        #expect(try server.replica.status().failure?.contains("none of the earlier tokens") == true)
        // No lane starts before that.
        let wait = server.now.duration(to: try #require(server.deadline))
        #expect(wait >= .seconds(300))
        server.now = try #require(server.deadline)
        let again = try #require(server.timerFired())
        #expect(again.token == "third token")
        let second = try #require(server.refuse(again, .unauthorized))
        #expect(second.request == question.request)
    }

    /// A revoked device is revoked with all its tokens.
    @Test func aRevokedDeviceStops() throws {
        let server = try server()
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        let renewal = try #require(server.answer(question, .foundToken(1)))
        #expect(server.refuse(renewal, .revoked) == nil)
        guard case .stopped(let reason) = server.outcome else {
            Issue.record("the session goes on")
            return
        }
        #expect(reason.kind == .revoked)
        #expect(try server.replica.sessionStart().token == "third token")
        let revoked = try self.server()
        let first = try #require(try revoked.start())
        #expect(revoked.refuse(first, .revoked) == nil)
        #expect(revoked.outcome != nil)
    }

    /// The server has its data again.
    @Test func thePresentTokenIsKnownAgain() throws {
        let server = try server()
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        #expect(server.answer(question, .foundToken(0)) == nil)
        server.now = try #require(server.deadline)
        let again = try #require(server.timerFired())
        #expect(again.token == "third token")
        #expect(try server.replica.sessionStart().token == "third token")
    }

    /// A copy of a file requests an identity in any case.
    @Test func aCopyAsksWithTheTokenThatIsKnown() throws {
        let server = try server()
        try server.forgetPlace()
        let renewal = try #require(try server.start())
        #expect(renewal.token == "third token")
        let question = try #require(server.refuse(renewal, .unauthorized))
        let again = try #require(server.answer(question, .foundToken(1)))
        guard case .renew = again.request else {
            Issue.record("\(again)")
            return
        }
        #expect(again.token == "second token")
        _ = server.answer(again, server.registration(9))
        #expect(try server.replica.sessionStart().token == "new token")
    }

    @Test func aRequestThatIsLostBeginsAnew() throws {
        let server = try server()
        try server.write("waiting")
        let push = try #require(try server.start())
        let question = try #require(server.refuse(push, .unauthorized))
        let renewal = try #require(server.answer(question, .foundToken(1)))
        #expect(server.fail(renewal) == nil)
        server.now = try #require(server.deadline)
        let again = try #require(server.timerFired())
        #expect(again.token == "third token" && again.request.pushed == push.request.pushed)
    }

    /// The server is restored once more during the request.
    @Test func aQuestionWithoutAnAnswerIsAskedAgain() throws {
        let server = try server(.continuous(waitSeconds: 50))
        var order = try #require(try server.start())
        for _ in 0..<3 {
            let question = try #require(server.refuse(order, .unauthorized))
            #expect(server.fail(question) == nil)
            server.now = try #require(server.deadline)
            order = try #require(server.timerFired())
        }
        let question = try #require(server.refuse(order, .unauthorized))
        let renewal = try #require(server.answer(question, .foundToken(1)))
        #expect(renewal.token == "second token")
    }

    @Test func theRegistrationOfAnotherScopeIsRefused() throws {
        let server = try server()
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        let renewal = try #require(server.answer(question, .foundToken(1)))
        let other = Registration(
            scope: ScopeID(RecordID(high: 7, low: 7)), scopeName: "other", replica: ReplicaID(rawValue: 9),
            token: "new token", role: .editor, schema: "", serverTime: 0)
        #expect(server.answer(renewal, .renewed(other)) == nil)
        #expect(try server.replica.sessionStart().token == "third token")
    }

    /// A server that repeatedly claims to know a token, and then does not, is not asked forever.
    @Test func aServerThatForgetsAtOnceIsNotAskedAtOnce() throws {
        let server = try server(.continuous(waitSeconds: 50))
        let pull = try #require(try server.start())
        let question = try #require(server.refuse(pull, .unauthorized))
        let renewal = try #require(server.answer(question, .foundToken(1)))
        let next = try #require(server.answer(renewal, server.registration(9)))
        // The server may just have been restored.
        let again = try #require(server.refuse(next, .unauthorized))
        let second = try #require(server.answer(again, .foundToken(1)))
        let last = try #require(server.answer(second, server.registration(10)))
        #expect(server.refuse(last, .unauthorized) == nil)
        #expect(server.now.duration(to: try #require(server.deadline)) >= .seconds(300))
    }
}
