internal import ArgumentParser
internal import Replica
internal import RoostModel
internal import Terminal

struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "List changes that are not current: beaten, refused, lost, damaged, reverted, hidden, kept, unfit.",
        discussion: """
            Entries with a number can be restored: roost restore FILE NUMBER. What is hidden comes back when what hides it is \
            undeleted, or when it is moved.

            A beaten change is not listed while its record has the content of the change all the same: two devices have written \
            the same, or it was restored. Once the record has another content, the change is listed. --all lists it at once.

            Entries are kept for 365 days, unless --keep-days says otherwise; the program that synchronises removes older ones \
            and says so in the log.

            EXAMPLES
              roost journal trip.roost
              roost journal trip.roost --deleted
              roost journal trip.roost --all
              roost journal trip.roost --keep-days 730
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Flag(help: "List deleted records that can be undeleted instead.")
    var deleted = false
    @Flag(help: "List also beaten changes whose content the record has all the same.")
    var all = false
    @Option(help: "Keep entries for that many days from now on, 0 for ever; nothing is listed.")
    var keepDays: Int?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard let keepDays, !(0...36_500).contains(keepDays) else { return }
        throw ValidationError("--keep-days is \(keepDays), expected a whole number from 0 to 36500.")
    }

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            if let keepDays { return try keep(keepDays, replica) }
            let view = RecordView(replica, devices: try replica.devices(), own: try replica.membership())
            if deleted {
                for record in try replica.deleted() { write(record, view) }
                return
            }
            let entries = try all ? replica.wholeJournal() : replica.journal()
            for entry in entries { common.json ? Console.write(json(entry, view)) : write(entry, view) }
            if entries.isEmpty, !common.json { try writeThatNoneIs(replica) }
        }
    }

    /// Prints that the journal is empty, and counts the deleted records. An edit under a delete has no journal entry:
    /// the delete decides what is visible, and an undelete restores the edit.
    private func writeThatNoneIs(_ replica: Replica) throws {
        let count = try replica.deleted().count
        Console.write("Every change is current.")
        guard count > 0 else { return }
        Console.write(
            "Deleted records that can come back, with their last edits: \(count). List them: roost journal "
                + "\(ShellWord.quoted(file)) --deleted")
    }

    private func keep(_ days: Int, _ replica: Replica) throws {
        try replica.keepJournal(days: days)
        if common.json {
            Console.write(.members(("keepDays", .integer(days))))
        } else {
            Console.write(days == 0 ? "The journal keeps everything." : "The journal keeps entries for \(days) days.")
        }
    }

    private func json(_ entry: JournalEntry, _ view: RecordView) -> JSONValue {
        .members(
            ("number", entry.ordinal.map { .integer($0) }), ("at", entry.at.map { .integer($0) }),
            ("outcome", .string(entry.outcome.rawValue)), ("entity", .string(view.entity(entry.key))),
            ("record", .string(entry.key.id.description)), ("sql", .string(view.literal(entry.key))),
            ("stamp", entry.stamp.map { .string($0.description) }),
            ("by", entry.by.map { .string($0.description) }), ("byDevice", entry.by.map { .string(view.author($0)) }),
            ("reason", .string(entry.reason)), ("isCurrent", all ? .boolean(entry.isCurrent) : nil),
            ("put", entry.put.map { view.object($0, entry.key) }))
    }

    private func write(_ entry: JournalEntry, _ view: RecordView) {
        let number = entry.ordinal.map { "\($0)" } ?? "·"
        let what = view.record(entry.key)
        Console.write(
            "\(number)\t\(entry.outcome.rawValue)\t\(what)\t\(content(entry, view))")
        let by =
            entry.by.map { " By \(Console.printable(view.author($0))), \(Console.time(Int64($0.milliseconds)))." } ?? ""
        let current = entry.isCurrent ? " The record has this content all the same." : ""
        Console.write("\t\(Console.printable(entry.reason))\(by)\(current)")
    }

    private func content(_ entry: JournalEntry, _ view: RecordView) -> String {
        if let put = entry.put { return view.text(put, entry.key) }
        return entry.outcome == .damaged ? "(its content is lost)" : "delete"
    }

    private func write(_ record: (key: RecordKey, put: [UInt8], deletedBy: HybridTimestamp?), _ view: RecordView) {
        if common.json {
            Console.write(
                .members(
                    ("entity", .string(view.entity(record.key))), ("record", .string(record.key.id.description)),
                    ("sql", .string(view.literal(record.key))),
                    ("deleted", record.deletedBy.map { .string($0.description) }),
                    ("put", view.object(record.put, record.key))))
            return
        }
        let by = record.deletedBy.map {
            "\tby \(Console.printable(view.author($0))), \(Console.time(Int64($0.milliseconds)))"
        }
        Console.write("\(view.record(record.key))\t\(view.text(record.put, record.key))\(by ?? "")")
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Write the content of a journal entry as a new change.",
        discussion: """
            EXAMPLE
              roost restore trip.roost 3
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Argument(help: "The entry's number, as \"roost journal\" lists it.")
    var number: Int64
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let entry = try replica.restore(number)
            let view = RecordView(replica)
            if common.json {
                Console.write(
                    .members(
                        ("entity", .string(view.entity(entry.key))), ("record", .string(entry.key.id.description)),
                        ("sql", .string(view.literal(entry.key))))
                )
            } else {
                Console.write(
                    "Restored \(view.record(entry.key)): \(entry.put.map { view.text($0, entry.key) } ?? "deleted")"
                )
                if entry.outcome == .refused {
                    Console.write(
                        "It was refused before: \(Console.printable(entry.reason)) Change that before it is sent.")
                }
            }
        }
    }
}

struct UndeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Bring a deleted record back, with everything its delete hid.",
        discussion: """
            EXAMPLE
              roost undelete trip.roost Person 018f…

            roost journal trip.roost --deleted lists them.
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Argument(help: "The entity.")
    var entity: String
    @Argument(help: "The record's identifier, or enough of its beginning. Quote a literal of SQL: \"x'018f…'\".")
    var record: String
    @OptionGroup var common: CommonOptions

    /// Returns the digits of an identifier, or of its beginning: with hyphens, without, or as a literal of SQL.
    private static func digits(_ text: String) -> [UInt8] {
        var bytes = Array(text.lowercased().utf8)[...]
        if bytes.last == UInt8(ascii: "'") {
            bytes.removeLast()
            if bytes.first == UInt8(ascii: "x") { bytes.removeFirst() }
            if bytes.first == UInt8(ascii: "'") { bytes.removeFirst() }
        }
        return bytes.filter { $0 != UInt8(ascii: "-") }
    }

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let start = Self.digits(record)
            let matches = try replica.deleted().filter {
                replica.schema.entity(named: entity)?.id == $0.key.entity
                    && Self.digits($0.key.id.description).starts(with: start)
            }
            guard let match = matches.first, matches.count == 1 else {
                let why =
                    matches.isEmpty
                    ? "no deleted record has that identifier" : "\(matches.count) deleted records begin so"
                throw ReplicaError(
                    .unknown,
                    "Cannot undelete \(entity) \"\(record)\": \(why). \"roost journal \(ShellWord.quoted(file)) --deleted\" lists them."
                )
            }
            try replica.write("undelete \(entity)") { try $0.undelete(entity, id: match.key.id) }
            if common.json {
                Console.write(.members(("entity", .string(entity)), ("record", .string(match.key.id.description))))
            } else {
                let view = RecordView(replica)
                Console.write("Undeleted \(view.record(match.key)): \(view.text(match.put, match.key))")
            }
        }
    }
}

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List the newest changes: when, by whom, what; then what happened to the replica.",
        discussion: """
            EXAMPLE
              roost log trip.roost --limit 50
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Option(help: "How many changes at most, from 1.")
    var limit = 20
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is \(limit), expected a whole number from 1.") }
    }

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let view = RecordView(replica, devices: try replica.devices(), own: try replica.membership())
            for entry in try replica.log(limit: limit) { try write(entry, view, replica) }
            for event in try replica.events(limit: limit) {
                if common.json {
                    Console.write(
                        .members(
                            ("event", .string(event.kind)), ("at", .integer(event.at)), ("text", .string(event.text))))
                } else {
                    Console.write("\(Console.time(event.at))\t\(event.kind)\t\(Console.printable(event.text))")
                }
            }
        }
    }

    private func write(_ entry: LogEntry, _ view: RecordView, _ replica: Replica) throws {
        let put = entry.isDelete ? nil : try replica.content(of: entry.key)
        if common.json {
            Console.write(
                .members(
                    ("stamp", .string(entry.stamp.description)), ("device", .string(view.author(entry.stamp))),
                    ("entity", .string(view.entity(entry.key))), ("record", .string(entry.key.id.description)),
                    ("sql", .string(view.literal(entry.key))),
                    ("kind", .string(entry.isDelete ? "delete" : "put")), ("waiting", .boolean(entry.isWaiting))))
            return
        }
        let what = entry.isDelete ? "deleted" : put.map { view.text($0, entry.key) } ?? ""
        let waiting = entry.isWaiting ? "\twaiting" : ""
        Console.write(
            "\(Console.time(Int64(entry.stamp.milliseconds)))\t\(Console.printable(view.author(entry.stamp)))\t"
                + "\(view.record(entry.key))\t\(what)\(waiting)")
    }
}
