import Foundation
import TestProcesses
import Testing

/// Writes that run no trigger.
@Suite struct IncrementalBlobTests {
    struct Writing: Case {
        let name: String
        var column = "picture"
        let script: String
    }

    private static func python(_ column: String) -> String {
        """
        row = db.execute("select rowid from spending where content = 'dinner'").fetchone()[0]
        with db.blobopen("spending", "\(column)", row) as blob: blob.write(b"uploaded")
        db.commit()
        """
    }

    static let all = [
        Writing(name: "Python's blobopen", script: python("picture")),
        Writing(name: "Python's blobopen on a text", column: "note", script: python("note")),
        Writing(
            name: "apsw's blob_open",
            script: """
                import apsw
                other = apsw.Connection(path)
                row = other.execute("select rowid from spending where content = 'dinner'").fetchall()[0][0]
                with other.blob_open("main", "spending", "picture", row, True) as blob: blob.write(b"uploaded")
                """),
        Writing(
            name: "apsw without triggers",
            script: """
                import apsw
                other = apsw.Connection(path)
                other.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
                other.execute("update spending set picture = cast('uploaded' as blob) where content = 'dinner'")
                """),
        Writing(
            name: "a trigger that is dropped and made again",
            script: """
                sql = db.execute("select sql from sqlite_schema where name = 'roost_update_2'").fetchone()[0]
                db.execute("drop trigger roost_update_2")
                db.execute("update spending set picture = cast('uploaded' as blob) where content = 'dinner'")
                db.execute(sql)
                db.commit()
                """),
    ]

    private static let records =
        Trip.records + "update spending set picture = zeroblob(8), note = '........' where content = 'dinner';"

    /// `roost check` compares all rows with their facts and reports the difference. The next sync makes it a change.
    @Test(arguments: all) func aCheckFindsIt(_ writing: Writing) throws {
        try fact("aCheckFindsIt", writing.name) {
            let devices = try TwoDevices(Self.records)
            try devices.first.python(writing.script)
            _ = try devices.first.roost("check")
            try devices.expectAgreement()
            try devices.expectBoth(
                "select cast(\(writing.column) as text) from spending where content = 'dinner'", ["uploaded"])
        }
    }

    /// An edit of the record arrives before the rows have been compared: the content goes to the journal.
    @Test(arguments: all) func anEditFromElsewhereKeepsItInTheJournal(_ writing: Writing) throws {
        try fact("anEditFromElsewhereKeepsItInTheJournal", writing.name) {
            let devices = try TwoDevices(Self.records)
            try devices.first.python(writing.script)
            try devices.second.write("update spending set amount = 55 where content = 'dinner'")
            try devices.second.check("sync")
            try devices.expectAgreement()
            // The verification of the layout makes the untracked write a change, and that change is the later one.
            let amounts = try devices.first.rows("select amount from spending where content = 'dinner'")
            #expect(amounts == (writing.name.contains("made again") ? ["5"] : ["55"]))
            let kept = """
                select count(*) from (select put as bytes from roost_journal
                  union all select cast(\(writing.column) as blob) from spending) where instr(bytes, cast('uploaded' as blob)) > 0
                """
            #expect(try devices.first.rows(kept) != ["0"])
        }
    }

    /// A delete of the record arrives: the content is kept in the journal.
    @Test(arguments: all) func aDeleteFromElsewhereKeepsItInTheJournal(_ writing: Writing) throws {
        try fact("aDeleteFromElsewhereKeepsItInTheJournal", writing.name) {
            let devices = try TwoDevices(Self.records)
            try devices.first.python(writing.script)
            try devices.second.write("delete from spending where content = 'dinner'")
            try devices.second.check("sync")
            try devices.expectAgreement()
            let kept = """
                select count(*) from (select put as bytes from roost_journal
                  union all select cast(\(writing.column) as blob) from spending) where instr(bytes, cast('uploaded' as blob)) > 0
                """
            #expect(try devices.first.rows(kept) != ["0"])
        }
    }

    /// Python's documented way to upload: a row of zeros, then its bytes. A program of Roost opens the file in between.
    @Test func anUploadIntoANewRowArrives() throws {
        try fact("anUploadIntoANewRowArrives", "") {
            let devices = try TwoDevices()
            try devices.first.write("insert into spending(content, picture) values ('dinner 2', zeroblob(8))")
            try devices.first.check("status")
            try devices.first.python(
                """
                row = db.execute("select rowid from spending where content = 'dinner 2'").fetchone()[0]
                with db.blobopen("spending", "picture", row) as blob: blob.write(b"uploaded")
                db.commit()
                """)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select cast(picture as text) from spending where content = 'dinner 2'", ["uploaded"])
        }
    }

    /// The documented bound is one day under a running daemon. The last comparison began 3 seconds less than a day ago, and
    /// each change that arrives makes the daemon check the time.
    @Test func theDaemonFindsItWithinADay() throws {
        try fact("theDaemonFindsItWithinADay", "") {
            let devices = try TwoDevices(Self.records)
            try devices.first.python(Self.python("picture"))
            try devices.first.write(
                """
                update roost_control
                set scrubbed = cast((julianday('now') - 2440587.5) * 86400000 as integer) - 86400000 + 3000
                """)
            let daemon = try RunningProgram(
                "roostd", [devices.first.path], log: devices.stage.folder.appending(path: "roostd.log"))
            #expect(
                try eventually(within: 90) {
                    try devices.second.write("update spending set amount = amount + 1 where content = 'taxi'")
                    try devices.second.check("sync")
                    let picture = "select cast(picture as text) from spending where content = 'dinner'"
                    return try devices.second.rows(picture) == ["uploaded"]
                })
            #expect(daemon.terminate() == 0)
            try devices.expectAgreement()
        }
    }
}
