internal import ArgumentParser
internal import Objects
internal import RoostModel
internal import Terminal

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete all records that a predicate selects, in one transaction.",
        discussion: """
            The delete rules apply: if one may not be deleted, none is. What goes with a record by cascade is not counted. "roost \
            undelete" brings a record back with all that.

            EXAMPLES
              roost delete trip.roost Spending --where 'amount == 0 AND person == nil'
              roost delete trip.roost Spending --all
            """)

    @OptionGroup var change: ChangeOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let context = try change.selection.context()
            let entity = try change.selection.entity(in: context)
            let request = try change.selection.request()
            let count = try context.deleteAll(request, "roost delete")
            let kept = try context.count(request)
            guard !common.json else {
                let members = [JSONValue.Member("deleted", .integer(count))]
                return Console.write(.object(members + (kept > 0 ? [.init("kept", .integer(kept))] : [])))
            }
            Console.write("Deleted \(count) \(entity.name).")
            if kept > 0 {
                Console.write(
                    "\(kept) more \(kept == 1 ? "stays" : "stay") in sight: hidden records hold \(kept == 1 ? "it" : "them") by a deny rule (\"roost journal\" says which), or others made \(kept == 1 ? "it" : "them") meanwhile."
                )
            }
        }
    }
}
