import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Testing

/// An interrupted rotation: the replica has the new token, and the server may have it or not.
@Suite struct TokenRotationTests {
    @Test func newTokenIsUsedAndSettledWhereTheServerHasIt() throws {
        let server = try ScriptedServer()
        try server.replica.prepareToken("next")
        let pull = try #require(try server.start())
        #expect(pull.token == "next")
        _ = server.answer(pull, server.page(digest: nil))
        #expect(try server.replica.sessionStart().token == "next")
        #expect(try server.replica.sessionStart().earlierToken == nil)
    }

    @Test func earlierTokenIsUsedWhereTheServerNeverHeardOfTheNewOne() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.replica.prepareToken("next")
        let pull = try #require(try server.start())
        #expect(server.refuse(pull, .unauthorized) == nil)
        server.now = try #require(server.deadline)
        let again = try #require(server.timerFired())
        #expect(again.token == "old token")
        #expect(try server.replica.sessionStart().token == "old token")
        // The report says that the server knows neither this token nor another one.
        let question = try #require(server.refuse(again, .unauthorized))
        #expect(question.request == .findToken(["old token", "next"].map { SHA256Digest.of(Array($0.utf8)) }))
        #expect(server.answer(question, .foundToken(nil)) == nil)
        #expect(try server.replica.status().failure?.contains("roost join LINK FILE") == true)
    }

    /// A command does not end with the refusal of a discarded token: the next attempt has the token before it.
    @Test func aSessionThatRunsOnceGoesOnWithTheEarlierToken() throws {
        let server = try ScriptedServer(.once(attemptsMax: 3))
        try server.replica.prepareToken("next")
        let pull = try #require(try server.start())
        let begin = server.now
        #expect(server.refuse(pull, .unauthorized) == nil)
        server.now = try #require(server.deadline)
        #expect(server.now < begin.advanced(by: .seconds(10)))
        let again = try #require(server.timerFired())
        #expect(again.token == "old token")
        _ = server.answer(again, server.page(digest: nil))
        #expect(try server.replica.status().failure == nil)
    }

    /// Other failures do not settle the rotation.
    @Test func bothTokensStayWhileNobodyAnswers() throws {
        let server = try ScriptedServer()
        try server.replica.prepareToken("next")
        let pull = try #require(try server.start())
        _ = server.fail(pull)
        #expect(try server.replica.sessionStart().earlierToken == "old token")
    }
}
