internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye list`, which lists spendings in sections.
struct ListCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List spendings in sections per person, the largest first, with totals.",
        discussion: """
            EXAMPLES:
              cekikapeye list
              cekikapeye list --by date --sort date
              cekikapeye list --search cafe --person Bob
            """)

    @Option(name: .long, help: "What makes a section: person or date.")
    var by = SpendingQuery.Grouping.person

    @Option(name: .long, help: "The order within a section: amount or date.")
    var sort = SpendingQuery.Order.amount

    @Option(name: .long, help: "Only those with this text in title, category or note.")
    var search: String?

    @Option(name: .long, help: "Only those this person paid or took part in.")
    var person: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        var query = SpendingQuery()
        query.grouping = by
        query.order = sort
        query.search = search
        query.person = person
        let book = try context.openBook()
        let list = try book.list(query)
        let faulty = list.sections.flatMap(\.spendings).filter { $0.kind == nil }
        context.show(BookJSON.list(list)) {
            context.showGroupIfGuessed(book)
            for section in list.sections {
                context.screen.line(
                    "\(bold: Column.name(section.title)) (\(section.spendings.count))  \(bold: context.totalsText(section.totals))"
                )
                context.showSpendings(section.spendings, list.roster)
            }
            if list.sections.isEmpty {
                context.screen.line(Line(context.text("No spendings.", fr: "Aucune dépense.")))
            }
            context.showConcerns(list.roster, leftOut: faulty)
        }
    }
}

extension SpendingQuery.Grouping: ExpressibleByArgument {}
extension SpendingQuery.Order: ExpressibleByArgument {}
