internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye undelete`, which undeletes a record, or lists the deleted ones.
struct UndeleteCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Bring a deleted spending or person back; without a name, list them.",
        discussion: "EXAMPLES:\n  cekikapeye undelete\n  cekikapeye undelete 3f9a1c\n  cekikapeye undelete Bob")

    @Argument(help: "The identifier, the end of it, or a deleted person's name.")
    var id: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openBook()
        guard let id else { return try list(context, book) }
        try book.checkMayWrite()
        let record = try book.undelete(id)
        context.showChange(of: book, .members(("undeleted", json(record)))) {
            context.screen.line(Line(context.text("\(record.title) is back.", fr: "\(record.title) est de retour.")))
            context.showUndo()
            if let roster = try? book.roster() { context.showNamesakes(roster) }
        }
    }

    private func list(_ context: CommandContext, _ book: ExpenseBook) throws {
        let deleted = try book.deletedRecords()
        context.show(.members(("deleted", .array(deleted.map { json($0) })))) {
            for record in deleted {
                let about = [record.date, record.amount.map { context.screen.text($0) }].compactMap { $0 }
                    .map { "  \($0)" }.joined()
                context.screen.line(
                    "\(dim: String(record.id.description.suffix(12)))  \(record.entity)  \(Column.name(record.title))\(about)"
                )
            }
            if deleted.isEmpty {
                context.screen.line(Line(context.text("Nothing is deleted.", fr: "Rien n'est supprimé.")))
            }
        }
    }

    private func json(_ record: DeletedRecord) -> JSONValue {
        .members(
            ("id", .string(record.id.description)), ("entity", .string(record.entity)), ("title", .string(record.title))
        )
    }
}
