internal import ArgumentParser
internal import Replica
internal import RoostModel
internal import Terminal

struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Make a damaged replica file anew from what can be read of it. Needs no network.",
        discussion: """
            "roost sync" and roostd do this by themselves where they meet damage. What cannot be read of the server's records comes \
            again with the next "roost sync". Changes that wait are kept where they can be read; "roost journal" lists those \
            whose content is gone. Tables of other programs are kept. The damaged file stays beside the new one until you \
            remove it. In a file of a version before 2026-12 it holds the device's token.

            A file of which the list of what waits, or what the replica is, cannot be read is left as it is: the status is 65 then.

            Where another program has dropped or rebuilt a table, rows may be missing that nobody deleted. "roost status" says how \
            many; you decide what becomes of them.

            EXAMPLES
              roost repair trip.roost
              roost repair --restore trip.roost
              roost repair --accept-deletes trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Flag(help: "Delete the records whose rows are missing; \"roost status\" says how many, and why.")
    var acceptDeletes = false
    @Flag(help: "Bring the rows that are missing back from the server, with the next \"roost sync\".")
    var restore = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard !(acceptDeletes && restore) else {
            throw ValidationError("--accept-deletes and --restore exclude each other: choose one.")
        }
    }

    func run() async throws {
        try await common.run {
            if acceptDeletes || restore { return try decideMissing() }
            let repair = try Replica.repair(at: file)
            guard !common.json else { return Console.write(json(repair)) }
            guard let repair else { return Console.write("The file is whole; nothing was changed.") }
            for notice in repair.notices { Console.write(Console.printable(notice)) }
            if try Replica(opening: file).membership() != nil {
                Console.write("Next: roost sync \(ShellWord.quoted(file))")
            }
        }
    }

    private func decideMissing() throws {
        let replica = try Replica(opening: file)
        let count = try acceptDeletes ? replica.acceptMissingAsDeleted() : replica.restoreMissing()
        if common.json {
            return Console.write(.members((acceptDeletes ? "deleted" : "restored", .integer(count))))
        }
        let what = count == 1 ? "1 record" : "\(count) records"
        Console.write(
            count == 0
                ? "No rows are missing; nothing was changed."
                : acceptDeletes
                    ? "Deleted \(what) whose rows were missing."
                    : "The rows of \(what) come back with the next synchronisation.")
        if count > 0 { Console.write("Next: roost sync \(ShellWord.quoted(file))") }
    }

    private func json(_ repair: ReplicaRepair?) -> JSONValue {
        .members(
            ("repaired", .boolean(repair != nil)), ("keptAt", repair.map { .string($0.keptAt) }),
            ("notices", repair.map { .array($0.notices.map { .string($0) }) }),
            ("damagedTables", repair.map { .array($0.damagedTables.map { .string($0) }) }))
    }
}
