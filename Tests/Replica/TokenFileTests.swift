import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// The device token is stored in its own file, and in no byte of the replica's.
@Suite struct TokenFileTests {
    private static let token = "roost_d_0123456789abcdefghijklmnopqrstuvABCD"

    private func bytes(_ path: String) -> Data {
        ["", "-wal"].reduce(Data()) { $0 + (FileManager.default.contents(atPath: path + $1) ?? Data()) }
    }

    private func holdsAToken(_ path: String) -> Bool { bytes(path).range(of: Data("roost_d_".utf8)) != nil }

    private func setToken(_ token: String, _ replica: TemporaryReplica) throws { try replica.replica.setToken(token) }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Makes a file of format 6, with the token inside. Tokens of earlier rotations are in free pages, in pages where cells
    /// were moved, and in the WAL.
    private func makeFormatSix(_ replica: TemporaryReplica, token: String?) throws {
        try replica.replica.close()
        try FileManager.default.removeItem(atPath: replica.path + "-token")
        try replica.sql("update roost_state set value = '6' where name = 'format'; pragma user_version = 6")
        guard let token else { return }
        try replica.plain.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA secure_delete = OFF")
            for round in 0..<40 {
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO roost_state VALUES ('token', '\(token.dropLast(2))\(round + 10)');
                        INSERT OR REPLACE INTO roost_state VALUES ('a\(round)', '\(token)' || hex(randomblob(400)));
                        CREATE TABLE IF NOT EXISTS copies(t); INSERT INTO copies SELECT value FROM roost_state
                        """)
            }
            try database.execute(
                sql: """
                    DELETE FROM roost_state WHERE name LIKE 'a%'; DROP TABLE copies;
                    INSERT OR REPLACE INTO roost_state VALUES ('token', '\(token)')
                    """)
        }
    }

    @Test func tokenIsNextToTheFileForItsOwnerAlone() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try setToken(Self.token, replica)
        #expect(try replica.replica.membership()?.token == Self.token)
        #expect(try mode(replica.path + "-token") == 0o600)
        #expect(!holdsAToken(replica.path))
        // A copy with a wider file mode gets its restricted mode back when it is read.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: replica.path + "-token")
        #expect(try replica.replica.sessionStart().token == Self.token)
        #expect(try mode(replica.path + "-token") == 0o600)
    }

    @Test func replicaWithoutItsTokenReadsAndWrites() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.replica.close()
        try FileManager.default.removeItem(atPath: replica.path + "-token")
        replica.replica = try Replica(opening: replica.path)
        try replica.sql("insert into person(name) values ('Ana')")
        #expect(try replica.replica.status().waiting == 1)
        let membership = try #require(try replica.replica.membership())
        #expect(!membership.hasCredentials && membership.replica == ReplicaID(rawValue: 1))
        #expect(try !replica.replica.sessionStart().isCopy)
    }

    @Test func upgradeMovesTheTokenAndLeavesNoByteOfIt() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("insert into person(name) values ('Ana')")
        try makeFormatSix(replica, token: Self.token)
        #expect(holdsAToken(replica.path))
        let opened = try Replica(opening: replica.path)
        #expect(try opened.membership()?.token == Self.token)
        #expect(try mode(replica.path + "-token") == 0o600)
        #expect(!holdsAToken(replica.path))
        #expect(try replica.texts("select name from roost_state where name like 'token%' and value is not null") == [])
        #expect(try replica.texts("select name from person") == ["Ana"])
        #expect(try replica.texts("pragma integrity_check") == ["ok"])
        #expect(try replica.texts("select name from sqlite_schema where name = 'roost_erasing'") == [])
    }

    /// During a read, the WAL cannot be emptied. The next program to open the file does it.
    @Test func upgradeBesideAReaderIsCompletedLater() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try makeFormatSix(replica, token: Self.token)
        let reader = try DatabaseQueue(path: replica.path)
        try reader.inDatabase { database in
            try database.execute(sql: "BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM person")
            let opened = try Replica(opening: replica.path)
            #expect(try opened.membership()?.token == Self.token)
            try opened.close()
            try database.execute(sql: "COMMIT")
        }
        try reader.close()
        #expect(holdsAToken(replica.path))
        let again = try Replica(opening: replica.path)
        #expect(try again.membership()?.token == Self.token)
        #expect(!holdsAToken(replica.path))
    }

    /// A restored file of an earlier format has a token that may have been replaced. Presenting it would count as theft.
    @Test func newerTokenStaysWhereAnOldFileIsPutBack() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try makeFormatSix(replica, token: Self.token)
        try TokenFile(of: replica.path).write([.init(replica: ReplicaID(rawValue: 1), token: "newer")])
        let opened = try Replica(opening: replica.path)
        #expect(try opened.membership()?.token == "newer")
        #expect(!holdsAToken(replica.path))
    }

    /// A crash between the writes of the two files leaves one of these states. Each identity has its token.
    @Test func eachIdentityFindsItsTokenAtEveryStepOfARenewal() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let file = TokenFile(of: replica.path)
        let (old, new) = (ReplicaID(rawValue: 1), ReplicaID(rawValue: 9))
        try setToken("old", replica)
        let both = [TokenFile.Entry(replica: old, token: "old"), .init(replica: new, token: "new")]
        try file.write(both)
        #expect(try replica.replica.sessionStart().token == "old" && !replica.replica.sessionStart().isCopy)
        try replica.replica.renew(as: new, token: "new", role: "owner", reason: "Copied.")
        #expect(file.entries() == [both[1]])
        try file.write(both)
        #expect(try replica.replica.sessionStart().token == "new" && !replica.replica.sessionStart().isCopy)
        #expect(try replica.replica.sessionStart().earlierToken == nil)
        // The disk refuses the token: the identity stays.
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: ReplicaError.self) {
            try replica.replica.renew(as: old, token: "third", role: "owner", reason: "Copied.")
        }
        #expect(try replica.replica.membership()?.replica == new)
        try FileManager.default.removeItem(atPath: file.path)
    }

    /// The file was restored to an older state, and its token file was not.
    @Test func tokenOfAnotherIdentityAsksForANewOne() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try TokenFile(of: replica.path).write([.init(replica: ReplicaID(rawValue: 9), token: "other")])
        let start = try replica.replica.sessionStart()
        #expect(start.isCopy && start.token == "other")
    }

    @Test func tokenIsStoredBeforeTheServerIsAsked() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try setToken("first", replica)
        try replica.replica.prepareToken("second")
        var start = try replica.replica.sessionStart()
        #expect(start.token == "second" && start.earlierToken == "first")
        try replica.replica.dropToken("second")
        start = try replica.replica.sessionStart()
        #expect(start.token == "first" && start.earlierToken == nil)
        try replica.replica.prepareToken("third")
        try replica.replica.settleToken()
        start = try replica.replica.sessionStart()
        #expect(start.token == "third" && start.earlierToken == nil)
        // The only token is never dropped.
        try replica.replica.dropToken("third")
        #expect(try replica.replica.sessionStart().token == "third")
    }
}
