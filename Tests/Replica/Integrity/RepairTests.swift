import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// A replica file that SQLite finds corrupt is rebuilt from its readable parts.
@Suite struct RepairTests {
    private static let people = 400

    private struct Case {
        let file: TemporaryReplica
        let scope: MemoryScope

        /// Makes many confirmed people, with three pending changes: an edit, a delete and a new one. A table of another
        /// program is stored next to them.
        init() throws {
            file = try TemporaryReplica(TemporaryReplica.people)
            scope = MemoryScope()
            try file.sql(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(RepairTests.people))
                INSERT INTO person(id, name) SELECT unhex32(i), 'person ' || i FROM n;
                """.replacing("unhex32(i)", with: "CAST(printf('%016d', i) AS BLOB)"))
            try scope.synchronise(file.replica)
            try file.sql(
                """
                CREATE TABLE budget(month TEXT PRIMARY KEY, amount INTEGER); INSERT INTO budget VALUES ('June', 12);
                CREATE VIEW names AS SELECT name FROM person;
                UPDATE person SET name = 'Ana' WHERE name = 'person 7';
                """)
            try file.sql("DELETE FROM person WHERE name = 'person 8'")
            try file.sql("INSERT INTO person(id, name) VALUES (\(id(9)), 'new')")
        }

        /// Overwrites a page of a table or an index, and other bytes of the file, while no connection has it open.
        ///
        /// - Parameter child: As for ``TablePage``.
        func damage(_ name: String, child: Int? = nil, _ body: (inout Data, _ page: Range<Int>) throws -> Void) throws {
            try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try file.replica.close()
            try file.plain.close()
            let page = try TablePage(of: name, child: child, in: file.path).bytes
            var bytes = try Data(contentsOf: URL(filePath: file.path))
            try body(&bytes, page)
            let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
            try handle.write(contentsOf: bytes)
            try handle.truncate(atOffset: UInt64(bytes.count))
            try handle.close()
        }

        /// Makes pages unreadable.
        func zero(_ name: String, child: Int? = nil, and other: String? = nil) throws {
            try damage(name, child: child) { bytes, page in
                bytes.replaceSubrange(page, with: Data(count: page.count))
                guard let other else { return }
                let second = try TablePage(of: other, in: file.path).bytes
                bytes.replaceSubrange(second, with: Data(count: second.count))
            }
        }

        /// Repairs, opens and synchronises the replica.
        func settle() throws -> Replica {
            let (replica, _) = try Replica.repairing(opening: file.path)
            try scope.synchronise(replica)
            return replica
        }

        func texts(_ sql: String) throws -> [String] {
            let queue = try DatabaseQueue(path: file.path)
            defer { try? queue.close() }
            return try queue.read { try String.fetchAll($0, sql: sql) }
        }

        func checkAllIsThere(_ replica: Replica) throws {
            #expect(try replica.digest() == scope.digest)
            #expect(try replica.check().isSound)
            #expect(try texts("SELECT count(*) FROM person") == ["\(RepairTests.people)"])
            #expect(
                try texts("SELECT name FROM names WHERE name IN ('Ana', 'new', 'person 7', 'person 8') ORDER BY name")
                    == ["Ana", "new"])
            #expect(try texts("SELECT amount FROM budget") == ["12"])
            #expect(try texts("PRAGMA integrity_check") == ["ok"])
        }

        var kept: [String] {
            get throws {
                let folder = URL(filePath: file.path).deletingLastPathComponent()
                return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                    $0.contains("-damaged-") && !$0.hasSuffix("-wal")
                }
            }
        }
    }

    @Test func wholeFileIsLeftAlone() throws {
        let replica = try Case()
        #expect(try Replica.repair(at: replica.file.path) == nil)
        #expect(try replica.kept.isEmpty)
    }

    /// Another program has dropped one of Roost's tables.
    @Test(arguments: ["roost_fact", "roost_raw", "roost_journal", "roost_event", "roost_kept", "roost_push"])
    func tableThatWasDroppedIsMadeAgain(_ table: String) throws {
        let replica = try Case()
        try replica.file.sql("DELETE FROM person WHERE id = \(id(9)); DROP TABLE \(table)")
        try replica.file.replica.close()
        try replica.file.plain.close()
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables.contains(table) == true)
        let settled = try replica.settle()
        #expect(try settled.check().isSound)
        #expect(try replica.texts("SELECT name FROM person WHERE name = 'Ana'") == ["Ana"])
        #expect(try settled.digest() == replica.scope.digest)
    }

    /// No other connection has the file open, so that the repair can switch the WAL on.
    @Test func fileWithoutALogIsMadeAnew() throws {
        let replica = try Case()
        try replica.zero("person", child: 5)
        let queue = try DatabaseQueue(path: replica.file.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try queue.close()
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == ["person"])
        try replica.checkAllIsThere(try replica.settle())
    }

    @Test func fileThatIsNoReplicaIsLeftAlone() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (text, database) = (folder.appending(path: "a.txt").path, folder.appending(path: "b.db").path)
        try Data("hello".utf8).write(to: URL(filePath: text))
        try DatabaseQueue(path: database).write { try $0.execute(sql: "CREATE TABLE a(b)") }
        for path in [text, database] {
            let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: path) }
            #expect(error?.code == .notAReplica)
        }
        let missing = #expect(throws: ReplicaError.self) { try Replica.repair(at: text + "x") }
        #expect(missing?.code == .notFound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.txt", "b.db"])
    }

    /// A leaf of a table is unreadable: the server's records in it are pulled again.
    @Test(arguments: ["person", "roost_fact"]) func pageThatCannotBeReadComesAgain(_ table: String) throws {
        let replica = try Case()
        try replica.zero(table, child: 5)
        let repair = try #require(try Replica.repair(at: replica.file.path))
        #expect(repair.damagedTables == [table])
        let settled = try replica.settle()
        try replica.checkAllIsThere(settled)
        #expect(try settled.journal().isEmpty)
        #expect(try settled.events(limit: 9).contains { $0.kind == "damage" && $0.text.contains(table) })
        #expect(try replica.kept.map { repair.keptAt.hasSuffix($0) } == [true])
        #expect(try Replica.repair(at: replica.file.path) == nil)
        try settled.close()
    }

    /// An unreadable index is rebuilt from its rows, with all of them.
    @Test func indexThatCannotBeReadIsMadeAnew() throws {
        let replica = try Case()
        try replica.zero("sqlite_autoindex_person_1")
        let repair = try #require(try Replica.repair(at: replica.file.path))
        #expect(repair.damagedTables.isEmpty)
        try replica.checkAllIsThere(try replica.settle())
    }

    /// Roost's own triggers are rebuilt from the schema.
    @Test func damagedWordsOfATriggerAreMadeAnew() throws {
        let replica = try Case()
        try replica.damage("person") { bytes, _ in
            guard let place = bytes.range(of: Data("CREATE TRIGGER \"roost_update_2\"".utf8)) else { return }
            bytes[place.lowerBound + 8] = 0
        }
        #expect(throws: ReplicaError.self) { try Replica(opening: replica.file.path) }
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == [])
        try replica.checkAllIsThere(try replica.settle())
        #expect(try replica.texts("SELECT count(*) FROM sqlite_schema WHERE name = 'roost_update_2'") == ["1"])
    }

    /// A page of SQLite's schema table has only triggers of Roost's. Tables created later cannot be found without it.
    @Test(arguments: [false, true]) func pageOfTheListOfTablesIsMadeAnew(hasTableOfAnother: Bool) throws {
        let replica = try Case()
        if !hasTableOfAnother { try replica.file.sql("DROP VIEW names; DROP TABLE budget") }
        try replica.damage("person") { bytes, page in
            let texts = ["update", "delete", "insert", "rename", "renamed"].map { "CREATE TRIGGER \"roost_\($0)_2\"" }
            let pages = texts.compactMap { bytes.range(of: Data($0.utf8)) }.map { place in
                let start = place.lowerBound / page.count * page.count
                return start..<(start + page.count)
            }
            let (leaf, others) = (UInt8(13), ["CREATE TABLE", "CREATE VIEW", "CREATE INDEX"])
            let found = try #require(
                pages.first { place in
                    bytes[place.lowerBound] == leaf
                        && others.allSatisfy { bytes[place].range(of: Data($0.utf8)) == nil }
                })
            bytes.replaceSubrange(found, with: Data(count: page.count))
        }
        guard !hasTableOfAnother else {
            let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: replica.file.path) }
            #expect(error?.message.contains("\"budget\", a table of another program") == true)
            return
        }
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == [])
        let settled = try replica.settle()
        #expect(try settled.digest() == replica.scope.digest)
        #expect(try settled.check().isSound)
        #expect(
            try replica.texts(
                "SELECT name FROM person WHERE name IN ('Ana', 'new', 'person 7', 'person 8') ORDER BY name") == [
                    "Ana", "new",
                ])
        #expect(try replica.texts("SELECT count(*) FROM sqlite_schema WHERE name = 'roost_update_2'") == ["1"])
    }

    /// The tables with derived state or events may be lost: no pending change is lost with them.
    @Test(arguments: ["roost_kept", "roost_dropped", "roost_journal", "roost_event", "roost_device", "roost_raw"])
    func whatIsDerivedOrToldIsNoReasonToStay(_ table: String) throws {
        let replica = try Case()
        try replica.zero(table)
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == [table])
        try replica.checkAllIsThere(try replica.settle())
    }

    /// Rows that a page has lost without an error are found missing: by SQLite's checks, and by the digest of the confirmed
    /// slots.
    @Test(arguments: ["roost_outbox", "roost_fact"]) func rowsThatAreGoneWithoutAWordAreMissed(_ table: String) throws {
        let replica = try Case()
        try replica.file.sql("UPDATE person SET name = name || '!'")
        try replica.damage(table, child: 1) { bytes, page in bytes[page.lowerBound + 4] -= 2 }
        let repair = try #require(try Replica.repair(at: replica.file.path))
        #expect(repair.damagedTables == (table == "roost_fact" ? [table] : []))
        #expect(
            repair.notices.joined().contains(
                table == "roost_fact" ? "\"roost_fact\"" : "The list of what waits was damaged"))
        let settled = try replica.settle()
        #expect(try settled.digest() == replica.scope.digest)
        #expect(try settled.check().isSound)
        #expect(try replica.texts("SELECT count(*) FROM person WHERE name LIKE '%!'") == ["\(Self.people)"])
    }

    /// A corrupt index of another program must not cost its table, and a corrupt index of Roost's must not hold pending
    /// changes back.
    @Test func damagedIndexOfAnotherIsMadeAgain() throws {
        let replica = try Case()
        try replica.file.sql(
            """
            CREATE INDEX by_amount ON budget(amount);
            INSERT INTO spending(id, content) VALUES (\(id(30)), 'of nobody')
            """)
        try replica.zero("by_amount", and: "roost_raw_target")
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == [])
        try replica.checkAllIsThere(try replica.settle())
    }

    /// Rows are not trusted during a full resynchronisation: a row changed by the corruption is not sent as an edit.
    @Test func changedRowIsNotTakenForAnEdit() throws {
        let replica = try Case()
        try replica.file.sql("DELETE FROM person WHERE name = 'person 390'")
        try replica.damage("person", child: 5) { bytes, page in
            // The cells at the end of the page are the oldest ones.
            bytes.replaceSubrange(page.suffix(300), with: Data(count: 300))
        }
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == ["person"])
        let (opened, _) = try Replica.repairing(opening: replica.file.path)
        try replica.scope.push(opened)
        try replica.scope.synchronise(opened)
        try replica.scope.synchronise(opened)
        #expect(try opened.digest() == replica.scope.digest)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try replica.scope.synchronise(other.replica)
        let names = "SELECT name FROM person WHERE name NOT LIKE 'person %' ORDER BY name"
        #expect(try other.texts(names) == ["Ana", "new"])
        #expect(try other.count("SELECT count(*) FROM person") == Self.people - 1)
    }

    /// Records that a restored server has lost are still to be brought back, unless their slots are corrupt too.
    @Test(arguments: ["sqlite_autoindex_person_1", "roost_fact"]) func reasonOfAPullOfEverythingStays(_ name: String)
        throws
    {
        let replica = try Case()
        try replica.file.replica.pullAnew(.historyChanged)
        try replica.zero(name)
        #expect(try Replica.repair(at: replica.file.path) != nil)
        let reason = try Replica(opening: replica.file.path).status().pullingAnew
        #expect(reason == (name == "roost_fact" ? .damaged : .historyChanged))
    }

    /// The server may have a part of a transaction from a lost push: the replica takes a new identity before it sends more.
    @Test func pushesThatAreLostMayHaveLeftParts() throws {
        let replica = try Case()
        _ = try replica.file.replica.sealChanges(replica.scope.limits)
        try replica.zero("roost_push")
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == ["roost_push"])
        let repaired = try Replica(opening: replica.file.path)
        #expect(try repaired.sealPushes(limits: replica.scope.limits) == .leftParts)
        try repaired.renew(as: ReplicaID(rawValue: 9), token: "new", role: "owner", reason: "Parts are left.")
        try replica.scope.synchronise(repaired)
        try replica.checkAllIsThere(repaired)
    }

    /// A file of an earlier format is rebuilt in the current one.
    ///
    /// - Parameter isOpened: Whether the corruption allows opening the file, which migrates it to the current format first.
    @Test(arguments: [true, false]) func fileOfAnEarlierFormatIsMadeAnew(isOpened: Bool) throws {
        let replica = try Case()
        try replica.file.dropMarks()
        try replica.file.sql(
            """
            DROP TABLE roost_journal_day;
            PRAGMA user_version = 2;
            CREATE TABLE filler(text); INSERT INTO filler VALUES (zeroblob(90000)); DROP TABLE filler
            """)
        if isOpened {
            try replica.zero("sqlite_autoindex_person_1")
        } else {
            try replica.damage("person") { bytes, page in bytes.removeLast(2 * page.count) }
            #expect(throws: ReplicaError.self) { try Replica(opening: replica.file.path) }
        }
        #expect(try Replica.repair(at: replica.file.path) != nil)
        try replica.checkAllIsThere(try replica.settle())
    }

    /// The version number of another program's migrations does not belong to Roost.
    @Test(arguments: [0, 42, -1]) func numberOfAnotherProgramStays(_ number: Int) throws {
        let test = try Case()
        try test.file.sql("PRAGMA user_version = \(number)")
        try test.zero("person", child: 5)
        #expect(try Replica.repair(at: test.file.path) != nil)
        let file = try DatabaseQueue(path: test.file.path)
        let kept = try file.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        #expect(kept == number)
    }

    @Test func numbersThatWereGivenAreNotGivenAgain() throws {
        let replica = try Case()
        try replica.file.sql(
            "CREATE TABLE ticket(number INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO ticket VALUES (41); DELETE FROM ticket"
        )
        try replica.zero("sqlite_autoindex_person_1")
        #expect(try Replica.repair(at: replica.file.path) != nil)
        let queue = try DatabaseQueue(path: replica.file.path)
        try queue.write { try $0.execute(sql: "INSERT INTO ticket DEFAULT VALUES") }
        try queue.close()
        #expect(try replica.texts("SELECT number FROM ticket") == ["42"])
    }

    @Test func columnThatAnotherProgramHasAddedIsNotDropped() throws {
        let replica = try Case()
        try replica.file.sql("ALTER TABLE person ADD COLUMN note TEXT; UPDATE person SET note = 'mine'")
        let count = try replica.file.count("SELECT count(*) FROM person")
        try replica.zero("sqlite_autoindex_person_1")
        #expect(try Replica.repair(at: replica.file.path) != nil)
        let repaired = try replica.texts("SELECT count(*) FROM person WHERE note = 'mine'")
        #expect(repaired == ["\(count)"])
    }

    /// A generated column that needs its program's function cannot be rebuilt without it, and nothing is dropped for it.
    @Test func generatedColumnThatCannotBeMadeAgainEndsTheRepair() throws {
        let replica = try Case()
        try replica.file.plain.writeWithoutTransaction { database in
            database.add(function: DatabaseFunction("shout", argumentCount: 1, pure: true) { $0[0] })
            try database.execute(sql: "ALTER TABLE person ADD COLUMN loud TEXT AS (shout(name))")
        }
        // In an intact file, such a column is no fault.
        #expect(try replica.file.replica.check().isSound)
        #expect(try Replica.repair(at: replica.file.path) == nil)
        try replica.zero("roost_fact")
        let before = try Data(contentsOf: URL(filePath: replica.file.path))
        let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: replica.file.path) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("needs what only that program has (unknown function: shout())") == true)
        #expect(try Data(contentsOf: URL(filePath: replica.file.path)) == before)
    }

    /// SQLite reports a generated value whose type is not the column's. No page is corrupt.
    @Test func valueOfAGeneratedColumnIsNoDamage() throws {
        let replica = try Case()
        try replica.file.sql("ALTER TABLE person ADD COLUMN twice INTEGER AS (length(name) * 9223372036854775807)")
        let lines = try replica.file.texts("SELECT integrity_check FROM pragma_integrity_check")
        #expect(lines.contains { $0.hasSuffix(" value in person.twice") })
        #expect(try replica.file.replica.check().isSound)
        #expect(try Replica.repair(at: replica.file.path) == nil)
    }

    /// A truncated file is read up to its end.
    @Test func fileThatWasCutOffIsMadeAnew() throws {
        let replica = try Case()
        try replica.file.sql("CREATE TABLE filler(text); INSERT INTO filler VALUES (zeroblob(9000)); DROP TABLE filler")
        try replica.damage("person") { bytes, page in bytes.removeLast(2 * page.count) }
        #expect(throws: ReplicaError.self) { try Replica(opening: replica.file.path) }
        #expect(try Replica.repair(at: replica.file.path) != nil)
        try replica.checkAllIsThere(try replica.settle())
    }

    /// The outbox is rebuilt from the rows if all else is intact (decision 46), and nothing is rebuilt otherwise.
    @Test(arguments: [false, true], ["roost_outbox", "roost_mark"])
    func listOfWhatWaitsNeedsAllElse(isAllElseWhole: Bool, _ table: String) throws {
        let replica = try Case()
        try replica.zero(table, and: isAllElseWhole ? nil : "roost_hidden_spending")
        guard isAllElseWhole else {
            let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: replica.file.path) }
            #expect(error?.message.contains("\"\(table)\" cannot be read whole") == true)
            return
        }
        _ = try Replica.repair(at: replica.file.path)
        try replica.checkAllIsThere(try replica.settle())
    }

    /// A corrupt table that nothing can replace: the file stays unchanged, byte for byte.
    @Test(arguments: ["roost_state", "roost_control", "budget"]) func whatNothingReplacesIsNotMadeAnew(_ table: String)
        throws
    {
        let replica = try Case()
        try replica.zero(table)
        let before = try Data(contentsOf: URL(filePath: replica.file.path))
        let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: replica.file.path) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains(table) == true)
        #expect(try Data(contentsOf: URL(filePath: replica.file.path)) == before)
        #expect(try replica.kept.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: replica.file.path + "-repair"))
    }

    /// The content of a pending change is lost: the rest of its transaction is not sent, and the journal records it.
    @Test func contentThatIsGoneIsJournaled() throws {
        let replica = try Case()
        try replica.file.sql("UPDATE person SET name = name || '!' WHERE rowid BETWEEN 100 AND 300")
        try replica.zero("person", child: 5)
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == ["person"])
        let settled = try replica.settle()
        #expect(try settled.digest() == replica.scope.digest)
        #expect(try Set(settled.journal().map(\.outcome)) == [.damaged, .refused])
        #expect(try replica.texts("SELECT count(*) FROM person WHERE name LIKE '%!'") == ["0"])
        #expect(try replica.texts("SELECT count(*) FROM person") == ["\(Self.people)"])
    }

    /// A pending change refers to unreadable records. It is sent as it was written, before and after they are pulled again.
    @Test(arguments: [false, true]) func referencesOfWhatWaitsStay(isPushedFirst: Bool) throws {
        let replica = try Case()
        try replica.file.sql(
            """
            INSERT INTO spending(id, content, person, approver, guarantor)
              SELECT randomblob(16), 'of ' || name, id, id, id FROM person WHERE name LIKE 'person %'
            """)
        let before = try replica.texts(
            "SELECT content || hex(person) || hex(approver) || hex(guarantor) FROM spending ORDER BY 1")
        try replica.zero("person", child: 5)
        #expect(try Replica.repair(at: replica.file.path)?.damagedTables == ["person"])
        let (opened, _) = try Replica.repairing(opening: replica.file.path)
        if isPushedFirst { try replica.scope.push(opened) }
        try replica.scope.synchronise(opened)
        try replica.scope.synchronise(opened)
        #expect(try opened.digest() == replica.scope.digest)
        #expect(
            try replica.texts(
                "SELECT content || hex(person) || hex(approver) || hex(guarantor) FROM spending ORDER BY 1") == before)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try replica.scope.synchronise(other.replica)
        #expect(
            try other.texts("SELECT content || hex(person) || hex(approver) || hex(guarantor) FROM spending ORDER BY 1")
                == before)
    }

    /// Programs that have the file open continue with the rebuilt one.
    @Test func openConnectionsSeeTheNewFile() throws {
        let replica = try Case()
        try replica.damage("sqlite_autoindex_person_1") { bytes, page in
            bytes.replaceSubrange(page.suffix(60), with: Data(count: 60))
        }
        let open = try Replica(opening: replica.file.path)
        let other = try DatabaseQueue(path: replica.file.path)
        #expect(try other.read { try Int.fetchOne($0, sql: "SELECT amount FROM budget") } == 12)
        #expect(try Replica.repair(at: replica.file.path) != nil)
        try other.write { try $0.execute(sql: "INSERT INTO person(id, name) VALUES (\(id(10)), 'later')") }
        try replica.scope.synchronise(open)
        #expect(try open.digest() == replica.scope.digest)
        #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person") } == Self.people + 1)
        #expect(try other.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }

    @Test func replicaThatIsSynchronisedIsLeftToWhoDoesSo() throws {
        let replica = try Case()
        let lease = try SyncLease(on: replica.file.path)
        let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: replica.file.path) }
        #expect(error?.code == .busy)
        withExtendedLifetime(lease) {}
    }
}
