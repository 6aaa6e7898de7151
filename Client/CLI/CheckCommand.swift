internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look whether a replica file is damaged. Needs no network.",
        discussion: """
            Looks at the file as SQLite sees it, at the list of changes that wait, and at the content of every record that the \
            server has confirmed. Content that is damaged is written anew from the server by the next "roost sync", and a file that \
            SQLite finds damaged is made anew by "roost repair". What waits is in this file only: nothing can be said of its content.

            A replica that is kept synchronised looks at its contents twice a day by itself. The status is 0 where nothing is \
            found wrong, also where contents could not be compared because the replica is not up to date, and 65 where something is.

            A table of yours may declare a foreign key to a record. References to records that are deleted or hidden are counted. \
            They are no damage, and an undelete makes them whole.

            EXAMPLE
              roost check trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let check = try replica.check()
            let names = RecordView(replica)
            common.json ? Console.write(json(check, names)) : write(check, names)
            if !check.isSound { throw ExitCode(ExitStatus.dataError.rawValue) }
        }
    }

    private func json(_ check: ReplicaCheck, _ names: RecordView) -> JSONValue {
        check.json { key in
            .members(
                ("entity", .string(names.entity(key))), ("id", .string("\(key.id)")),
                ("sql", .string(names.literal(key))))
        }
    }

    private func write(_ check: ReplicaCheck, _ names: RecordView) {
        Console.write("file      " + (check.faults.isEmpty ? "whole" : "damaged"))
        for fault in check.faults { Console.write("          \(Console.printable(fault))") }
        if let fault = check.waitingFault {
            Console.write("waiting   the list of it is damaged: \(Console.printable(fault))")
        } else {
            Console.write(
                "waiting   "
                    + (check.waiting == 0 ? "nothing" : "\(check.waiting) changed records, the list of them is whole"))
        }
        writeContents(check, names)
        writeDangling(check)
        writeCure(check)
    }

    /// Reports references of other programs' tables to rows that are not there. They are no damage.
    private func writeDangling(_ check: ReplicaCheck) {
        for dangling in check.dangling {
            Console.write(
                Console.printable(
                    "dangling  \(dangling.count) references of \"\(dangling.table)\" to rows of \"\(dangling.destination)\" that are "
                        + "not there: deleted, hidden, or never made"))
        }
        guard !check.dangling.isEmpty else { return }
        Console.write("          list them: sqlite3 \(ShellWord.quoted(file)) \"PRAGMA foreign_key_check\"")
    }

    private func writeContents(_ check: ReplicaCheck, _ names: RecordView) {
        if let reason = check.unreadable {
            return Console.write("contents  \(Console.printable(reason))")
        }
        guard check.isComparable else {
            return Console.write(
                "contents  not compared: the replica is not up to date. First: roost sync \(ShellWord.quoted(file))")
        }
        if check.adopted > 0 {
            Console.write("untracked \(check.adopted) rows were written past the triggers; they are local changes now")
        }
        if check.isRepaired {
            Console.write(
                "contents  \(check.damaged.count) of \(check.compared) records are not as the server has confirmed them"
            )
            write(Array(check.damaged.prefix(20)), of: check.damaged.count, names)
            if check.isBookkeepingDamaged {
                Console.write("          what is known of the server's records is damaged too")
            }
        } else {
            Console.write("contents  \(check.compared) records are as the server has confirmed them")
        }
        guard check.irregular > 0 else { return }
        Console.write(
            "          \(check.irregular) more cannot be compared: another program wrote them in a form that their rows do not give again"
        )
        write(check.irregularRecords, of: check.irregular, names)
    }

    /// Lists records, and marks with an ellipsis that there are more.
    private func write(_ keys: [RecordKey], of count: Int, _ names: RecordView) {
        for key in keys { Console.write("          \(names.record(key))") }
        if count > keys.count { Console.write("          …") }
    }

    /// Prints the command that repairs what the check found.
    private func writeCure(_ check: ReplicaCheck) {
        if check.isRepaired {
            Console.write(
                "next      roost sync \(ShellWord.quoted(file)) compares them with the server: what looks damaged is written anew, what a program may have "
                    + "written is sent, and the journal keeps the other content")
        } else if check.waitingFault != nil {
            Console.write(
                "next      roost sync \(ShellWord.quoted(file)) makes the list anew from the records, where all else is whole"
            )
        }
        if !check.faults.isEmpty || check.unreadable != nil {
            Console.write(
                "next      roost repair \(ShellWord.quoted(file)) makes the file anew from what can be read of it; so does roost sync"
            )
        }
    }
}
