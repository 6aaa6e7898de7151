internal import ArgumentParser
internal import CekikapeyeApp
internal import Roost
internal import RoostModel

/// The command `cekikapeye sync`, which synchronises once.
struct SyncCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Exchange with the others once. Exit status 75 when something is left to do.",
        discussion: "EXAMPLES:\n  cekikapeye sync\n  cekikapeye sync --json")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openBook()
        let known = Set(try book.deletedRecords().map(\.id))
        let report = try await book.replica.synchronise()
        context.showChange(of: book, context.json(report)) {
            context.describe(report, of: book)
            context.showDeleted((try? book.deletedByOthers(since: known)) ?? [])
        }
        try context.finish(report)
    }
}
