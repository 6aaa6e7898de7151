import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// The former tokens of a replica stay in its token file, for a server that is restored from a backup.
@Suite struct TokenHistoryTests {
    private let scope = ScopeID("00000000-0000-0000-0000-000000000001")!

    private func membership(_ id: UInt64, _ token: String, server: String = "http://127.0.0.1:1") -> Membership {
        Membership(
            scope: scope, scopeName: "test", replica: ReplicaID(rawValue: id), server: server, token: token,
            role: .owner, deviceName: "device")
    }

    private func renew(_ replica: Replica, as id: UInt64, _ token: String, with used: String? = nil) throws {
        let used = try used ?? replica.sessionStart().token
        try replica.renew(
            as: ReplicaID(rawValue: id), token: token, with: used, role: "owner", reason: "Restored.")
    }

    @Test func everyTokenStaysInTheOrderInWhichItWasMade() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        let replica = temporary.replica
        try replica.prepareToken("rotated")
        try replica.settleToken()
        try renew(replica, as: 2, "renewed")
        // The server does not know the token, or knew it before it was restored.
        try replica.prepareToken("dropped")
        try replica.dropToken("dropped")
        try replica.prepareToken("again")
        try replica.setToken("again")
        try replica.rejoin(membership(3, "joined"), resynchronising: nil)
        let expected = ["joined", "again", "dropped", "renewed", "rotated", "none"]
        #expect(try replica.earlierTokens() == expected)
        #expect(try replica.sessionStart().token == "joined" && replica.sessionStart().earlierToken == nil)
        #expect(TokenFile(of: temporary.path).entries().map(\.token) == ["joined"])
        try replica.close()
        temporary.replica = try Replica(opening: temporary.path)
        #expect(try temporary.replica.earlierTokens() == expected)
        let mode = try FileManager.default.attributesOfItem(atPath: temporary.path + "-token")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    /// Using an earlier token again does not make it one of the newest.
    @Test func aTokenThatIsUsedAgainStaysInItsPlace() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        try renew(temporary.replica, as: 2, "second")
        try renew(temporary.replica, as: 3, "third", with: "none")
        #expect(try temporary.replica.earlierTokens() == ["third", "second", "none"])
        let uses = TokenFile(of: temporary.path).history().lines.map(\.uses)
        #expect(uses == [0, 0, 1])
    }

    /// There are at most 64 tokens: those that a server has asked for, then the newest.
    @Test func theOldestThatWasNeverUsedGoesFirst() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        for number in 2...100 {
            try renew(temporary.replica, as: UInt64(number), "token \(number)", with: number % 10 == 0 ? "none" : nil)
        }
        let tokens = try temporary.replica.earlierTokens()
        #expect(tokens.count == TokenHistory.countMax)
        #expect(tokens == (38...100).reversed().map { "token \($0)" } + ["none"])
    }

    @Test func theNewestStayWhateverTheOthersWereUsedFor() throws {
        let place = try #require(TokenScope(scope: "scope", server: "server"))
        var history = TokenHistory()
        for number in 0..<200 {
            history.add(.init(replica: ReplicaID(rawValue: 1), token: "\(number)"), at: place)
            history.recordUse(of: "\(number)")
            history.recordUse(of: "\(number)")
        }
        for number in 200..<210 { history.add(.init(replica: ReplicaID(rawValue: 1), token: "\(number)"), at: place) }
        #expect(history.lines.count == TokenHistory.countMax)
        #expect(history.tokens(at: place).prefix(8) == (202..<210).reversed().map { "\($0)" }.prefix(8))
    }

    /// A token is presented only to the server and in the scope that it was made for.
    @Test func tokensOfAnotherServerAreNotTried() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        try renew(temporary.replica, as: 2, "renewed")
        try temporary.replica.rejoin(membership(3, "elsewhere", server: "https://other"), resynchronising: nil)
        #expect(try temporary.replica.earlierTokens() == ["elsewhere"])
        try temporary.replica.rejoin(membership(4, "back"), resynchronising: nil)
        #expect(try temporary.replica.earlierTokens() == ["back", "renewed", "none"])
        try temporary.sql("update roost_state set value = '00000000-0000-0000-0000-000000000002' where name = 'scope'")
        #expect(try temporary.replica.earlierTokens() == [])
    }

    /// A token file of another replica that a user has put next to this one is not taken for its own.
    @Test func tokensOfAnotherReplicaAreNotNoted() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        try TokenFile(of: temporary.path).write([.init(replica: ReplicaID(rawValue: 9), token: "foreign")])
        try temporary.replica.rejoin(membership(3, "joined"), resynchronising: nil)
        #expect(try temporary.replica.earlierTokens() == ["joined"])
        // After the server has given a new identity for it, the token belongs to the scope.
        try TokenFile(of: temporary.path).write([.init(replica: ReplicaID(rawValue: 9), token: "newer")])
        try renew(temporary.replica, as: 4, "renewed", with: "newer")
        #expect(try temporary.replica.earlierTokens() == ["renewed", "newer"])
    }

    /// A crash between the writes of the token file and of the replica's file leaves one of these states. The next identity
    /// finds all tokens.
    @Test func noStepOfARenewalLosesAToken() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        let file = TokenFile(of: temporary.path)
        try temporary.replica.taking("second", as: ReplicaID(rawValue: 2), with: "none") {
            // Before the transaction: the old identity has its token, and both are in the history.
            let (start, earlier) = (try temporary.replica.sessionStart(), try temporary.replica.earlierTokens())
            #expect(file.entries().map(\.token) == ["none", "second"])
            #expect(start.token == "none" && earlier == ["second", "none"])
        }
        // A power failure took the transaction: the identity of the new token is not the file's, and requests another one.
        #expect(try temporary.replica.sessionStart().isCopy)
        try renew(temporary.replica, as: 3, "third", with: "second")
        #expect(try temporary.replica.earlierTokens() == ["third", "second", "none"])
        // After the transaction, before the old line is removed.
        try file.write(
            [
                .init(replica: ReplicaID(rawValue: 2), token: "second"),
                .init(replica: ReplicaID(rawValue: 3), token: "third"),
            ], file.history())
        #expect(try temporary.replica.sessionStart().token == "third")
        try renew(temporary.replica, as: 4, "fourth")
        #expect(try temporary.replica.earlierTokens() == ["fourth", "third", "second", "none"])
        #expect(file.entries().map(\.token) == ["fourth"])
    }

    /// If the file cannot store the reply, the request is repeated unchanged. The token of the reply would get another
    /// identity, and a device has ten a day.
    @Test func whatTheFileCannotTakeIsAskedForAgainWithTheSameToken() throws {
        struct Full: Error {}
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        try renew(temporary.replica, as: 2, "second", with: "none")
        for number in 3...5 {
            #expect(throws: Full.self) {
                try temporary.replica.taking("token \(number)", as: ReplicaID(rawValue: UInt64(number)), with: "none") {
                    throw Full()
                }
            }
            #expect(try temporary.replica.sessionStart().token == "second")
            #expect(try temporary.replica.earlierTokens().first == "none")
        }
        try renew(temporary.replica, as: 6, "sixth", with: "none")
        #expect(try temporary.replica.earlierTokens().first == "sixth")
    }

    /// The nonce is written on each request: a file that can only be read is no reason to ask a server.
    @Test func aDiskThatTakesNothingAsksForNoIdentity() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        #expect(try temporary.replica.renewalNonce(fresh: "first") == "first")
        #expect(try temporary.replica.joinNonce(for: "it", fresh: "one") == "one")
        try temporary.plain.writeWithoutTransaction { database in
            let before = try Int.fetchOne(database, sql: "PRAGMA data_version")
            #expect(try temporary.replica.renewalNonce(fresh: "another") == "first")
            let between = try Int.fetchOne(database, sql: "PRAGMA data_version")
            #expect(try temporary.replica.joinNonce(for: "it", fresh: "other") == "one")
            #expect(before != between)
            #expect(try Int.fetchOne(database, sql: "PRAGMA data_version") != between)
        }
    }

    // MARK: Programs of earlier versions

    /// Returns the tokens as programs before 2026-12 read them: from the first 4,096 bytes, each line that starts with an
    /// identity.
    private func entriesOfAnEarlierProgram(_ path: String) throws -> [TokenFile.Entry] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-token")).prefix(4096))
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard words.count == 2, let replica = ReplicaID(words[0]) else { return nil }
            return TokenFile.Entry(replica: replica, token: words[1])
        }
    }

    @Test func anEarlierProgramReadsThePresentTokensAlone() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        let secret = "roost_d_0123456789abcdefghijklmnopqrstuvABC"
        for number in 2...100 { try renew(temporary.replica, as: UInt64(number), "\(secret)\(number)") }
        try temporary.replica.prepareToken("\(secret)next")
        let entries = try entriesOfAnEarlierProgram(temporary.path)
        #expect(entries == TokenFile(of: temporary.path).entries())
        #expect(entries.map(\.token) == ["\(secret)100", "\(secret)next"])
        let size = try FileManager.default.attributesOfItem(atPath: temporary.path + "-token")[.size] as? Int ?? 0
        #expect(size > 4096)
    }

    /// An earlier program drops unknown lines when it writes the file. From then on, the tokens are recorded again.
    @Test func aFileOfAnEarlierProgramIsTakenUp() throws {
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        try TokenFile(of: temporary.path).write(
            [
                .init(replica: ReplicaID(rawValue: 1), token: "old"),
                .init(replica: ReplicaID(rawValue: 1), token: "rotated"),
            ])
        #expect(try temporary.replica.earlierTokens() == [])
        try renew(temporary.replica, as: 2, "renewed")
        #expect(try temporary.replica.earlierTokens() == ["renewed", "rotated", "old"])
    }

    @Test(arguments: [
        "", "-", "- ", "-0000000000000001", "-0000000000000001 scope 0 server",
        "-000000000000000g scope 0 server token",
        "-0000000000000001 scope -1 server token", "-0000000000000001 scope x server token",
        "-0000000000000001 scope 99999999999999999999 server token",
    ])
    func aLineThatIsNoneIsPassedOver(line: String) throws {
        #expect(TokenHistory.Line(line) == nil)
        let temporary = try TemporaryReplica(TemporaryReplica.people)
        let path = temporary.path + "-token"
        let text = try String(contentsOfFile: path, encoding: .utf8) + line + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try temporary.replica.earlierTokens() == ["none"])
        #expect(try temporary.replica.sessionStart().token == "none")
    }
}
