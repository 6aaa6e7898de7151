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
            remove it; it holds the device's token.

            A file of which the list of what waits, or what the replica is, cannot be read is left as it is: the status is 65 then.

            EXAMPLE
              roost repair trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let repair = try Replica.repair(at: file)
            guard !common.json else { return Console.write(json(repair)) }
            guard let repair else { return Console.write("The file is whole; nothing was changed.") }
            for notice in repair.notices { Console.write(Console.printable(notice)) }
            if try Replica(opening: file).membership() != nil { Console.write("Next: roost sync \(file)") }
        }
    }

    private func json(_ repair: ReplicaRepair?) -> JSONValue {
        .members(
            ("repaired", .boolean(repair != nil)), ("keptAt", repair.map { .string($0.keptAt) }),
            ("notices", repair.map { .array($0.notices.map { .string($0) }) }),
            ("damagedTables", repair.map { .array($0.damagedTables.map { .string($0) }) }))
    }
}
