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
            let count = try context.deleteAll(try change.selection.request(), "roost delete")
            common.json
                ? Console.write(.members(("deleted", .integer(count))))
                : Console.write("Deleted \(count) \(entity.name).")
        }
    }
}
