import Foundation
import GRDB
import Replica
import RoostModel
import Testing

/// WALs with an unreadable frame: SQLite applies the frames before it, and reports no error about the rest.
@Suite struct LogDamageTests {
    /// Makes a replica whose pending changes are in the WAL only, one transaction for each person.
    private func log(people: Int = 12, _ last: String = "") throws -> DamagedLog {
        try DamagedLog { file in
            for number in 1...people { try file.sql("INSERT INTO person(id, name) VALUES (\(id(number)), 'Ana')") }
            if !last.isEmpty { try file.plain.writeWithoutTransaction { try $0.execute(sql: last) } }
        }
    }

    private func events(_ replica: Replica) throws -> [String] {
        try replica.events(limit: 100).map(\.kind).filter { $0 == "damage" }
    }

    @Test func transactionsBehindADamagedFrameAreSaid() throws {
        let log = try log()
        try log.flip(frame: log.frames / 2, byte: 100)
        let replica = try Replica(opening: log.path)
        defer { try? replica.close() }
        let found = try #require(try replica.checkOutbox())
        #expect(found.notices.count == 1)
        #expect(found.notices[0].contains("transactions are lost"))
        #expect(try events(replica) == ["damage"])
        #expect(try replica.checkOutbox() == nil)
    }

    @Test func damagedSaltsAreSaid() throws {
        let log = try log()
        try log.flip(frame: log.frames / 2, byte: 9)
        let replica = try Replica(opening: log.path)
        defer { try? replica.close() }
        #expect(try events(replica) == ["damage"])
    }

    @Test func damagedHeaderOfTheLogIsSaid() throws {
        for byte in [0, 17, 30] {
            let log = try log()
            try log.flip(header: byte)
            let replica = try Replica(opening: log.path)
            defer { try? replica.close() }
            #expect(try events(replica) == ["damage"])
        }
    }

    /// The first program to open the file may have no observer. The next synchronisation reports the finding, once.
    @Test func whatAnotherOpenerFoundIsToldOnce() throws {
        let log = try log()
        try log.flip(frame: log.frames / 2, byte: 100)
        try Replica(opening: log.path).close()
        let second = try Replica(opening: log.path)
        #expect(try second.checkOutbox()?.notices.count == 1)
        try second.close()
        let third = try Replica(opening: log.path)
        defer { try? third.close() }
        #expect(try third.checkOutbox() == nil)
        #expect(try events(third) == ["damage"])
    }

    @Test func wholeLogSaysNothing() throws {
        let log = try log()
        let replica = try Replica(opening: log.path)
        defer { try? replica.close() }
        #expect(try events(replica) == [])
        #expect(try replica.checkOutbox() == nil)
    }

    /// A torn commit was never confirmed to its program.
    @Test(arguments: [1, 24, 1000]) func tornEndSaysNothing(_ bytes: Int) throws {
        let log = try log()
        try log.cut(bytes)
        let replica = try Replica(opening: log.path)
        defer { try? replica.close() }
        #expect(try events(replica) == [])
    }

    /// A WAL that restarts in its file has frames of the previous one after its end.
    @Test func framesOfAnEarlierLogSayNothing() throws {
        let log = try log(
            """
            PRAGMA wal_checkpoint(RESTART);
            INSERT INTO person(id, name) VALUES (\(id(500)), 'Bob')
            """)
        let replica = try Replica(opening: log.path)
        defer { try? replica.close() }
        #expect(try events(replica) == [])
    }

    /// All content of the WAL is in the database too.
    @Test func copiedBackLogHasLostNothing() throws {
        let log = try log("PRAGMA wal_checkpoint(PASSIVE)")
        try log.flip(frame: 1, byte: 100)
        let replica = try Replica(opening: log.path)
        defer { try? replica.close() }
        #expect(try events(replica) == [])
        #expect(try replica.select("SELECT 1 FROM person").count == 12)
    }
}
