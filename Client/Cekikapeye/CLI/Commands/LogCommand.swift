internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye log`, which lists the newest changes.
struct LogCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show the newest changes: when, what, by which device.",
        discussion: "EXAMPLES:\n  cekikapeye log\n  cekikapeye log --limit 100 --json")

    @Option(name: .long, help: "How many at most.")
    var limit = 20

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is \(limit), expected 1 to 10000.") }
    }

    func run(in context: CommandContext) async throws {
        let lines = try context.openBook().log(limit: limit)
        context.show(.members(("changes", .array(lines.map { json($0) })))) {
            for line in lines {
                let verb =
                    line.isDelete ? context.text("deleted", fr: "supprimé") : context.text("written", fr: "écrit")
                let waiting = line.isWaiting ? context.text("  not sent yet", fr: "  pas encore envoyé") : ""
                let amount = line.amount.map { "  \(context.screen.text($0))" } ?? ""
                let device = line.device.map { "  \(Column.name($0))" } ?? ""
                context.screen.line(
                    "\(context.moment(Int64(clamping: line.milliseconds)))  \(line.entity) \(verb)  \(bold: Column.name(line.title))\(amount)\(device)\(dim: waiting)"
                )
            }
        }
    }

    private func json(_ line: LogLine) -> JSONValue {
        .members(
            ("milliseconds", .integer(line.milliseconds)), ("entity", .string(line.entity)),
            ("id", .string(line.id.description)), ("title", .string(line.title)),
            ("deleted", .boolean(line.isDelete)), ("waiting", .boolean(line.isWaiting)),
            ("device", line.device.map { .string($0) }))
    }
}
