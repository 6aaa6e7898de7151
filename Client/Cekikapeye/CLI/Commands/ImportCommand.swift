internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import RoostModel

/// The command `cekikapeye import`, which imports a Splitwise export.
struct ImportCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a Splitwise export, after proving that balances equal those of the file.",
        discussion: """
            All or nothing: a row that cannot be read is named with its line, and nothing is imported (exit status 65), \
            also with --skip-bad where no row is left. \
            Status 65 is also that of a failed proof: the group's imported spendings, those of earlier imports included, would not \
            balance as the file does, or do not where nothing is new. Importing a file again changes nothing. One "cekikapeye undo" takes all of it back. Without a group, one is \
            made and named after the file.

            EXAMPLES:
              cekikapeye import export.csv --dry-run
              cekikapeye import export.csv --skip-bad
            """)

    @Argument(help: "The CSV file of \"Export as spreadsheet\".", completion: .file(extensions: ["csv"]))
    var file: String

    @Flag(name: .long, help: "Leave out rows that cannot be read.")
    var skipBad = false

    @Flag(name: .long, help: "Import although spendings of earlier imports are not in this file, or were changed here.")
    var beside = false

    @Flag(name: .long, help: "Say what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let bytes = try context.bytes(ofFile: file)
        let book = try openOrMake(context, bytes)
        if !dryRun { try book.checkMayWrite() }
        let preview = try book.planImport(bytes, skipsBadRows: skipBad, besideOthers: beside)
        if !dryRun { try book.carryOut(preview, named: URL(filePath: file).lastPathComponent) }
        context.showChange(of: book, context.json(preview, isDone: !dryRun)) {
            context.describe(preview)
            context.screen.line(Line(conclusion(preview, context), .bold))
            if !dryRun && !preview.changesNothing { context.showUndo() }
        }
        if let failed = preview.failedProof, preview.changesNothing, !beside {
            throw BookError.importedDiffers(currencyCode: failed.currency.code)
        }
    }

    private func openOrMake(_ context: CommandContext, _ bytes: [UInt8]) throws -> ExpenseBook {
        do { return try context.openBook() } catch let error as CommandError where error.isWithoutGroup && !dryRun {
            let currency = try Self.mainCurrency(of: bytes, skipsBadRows: skipBad)
            let name = URL(filePath: file).deletingPathExtension().lastPathComponent
            let path = context.absolute(GroupFileName.make(from: name))
            return try context.createGroup(at: path, name: name, currency: currency, people: [])
        }
    }

    /// Returns the currency of most rows. It is determined before a group is created, so that an invalid file leaves
    /// no group behind.
    private static func mainCurrency(of bytes: [UInt8], skipsBadRows: Bool) throws(BookError) -> Currency {
        let plan: ImportPlan
        do { plan = try SplitwiseImporter.plan(for: bytes) } catch { throw .file(error) }
        guard plan.problems.isEmpty || skipsBadRows else { throw .rows(plan.problems) }
        let counts = Dictionary(grouping: plan.expenses, by: \.amount.currency).mapValues(\.count)
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        guard let most else { throw .nothingReadable(plan.problems) }
        return most
    }

    private func conclusion(_ preview: ImportPreview, _ context: CommandContext) -> String {
        let (new, there) = (preview.newCount, preview.alreadyThere)
        if preview.changesNothing {
            return context.text(
                "Nothing to import: nothing in the file is new (spendings there already: \(there)).",
                fr: "Rien à importer : rien n'est nouveau dans le fichier (dépenses déjà là : \(there)).")
        }
        if dryRun {
            return context.text(
                "Spendings to import: \(new); there already: \(there). Nothing was changed.",
                fr: "Dépenses à importer : \(new) ; déjà là : \(there). Rien n'a changé.")
        }
        return context.text(
            "Spendings imported: \(new); there already: \(there).",
            fr: "Dépenses importées : \(new) ; déjà là : \(there).")
    }
}
