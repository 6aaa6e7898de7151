internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Roost
internal import RoostModel
internal import Terminal

extension CommandContext {
    private static let deletedMax = 10

    func json(_ report: SyncReport) -> JSONValue {
        .members(
            ("upToDate", .boolean(report.isUpToDate)), ("state", .string(report.state)),
            ("pushed", .integer(report.pushed)), ("pulled", .integer(report.pulled)),
            ("beaten", .integer(report.beaten)), ("refused", .integer(report.refused)),
            ("hidden", .integer(report.hidden)), ("shown", .integer(report.shown)),
            ("digest", report.digest.map { .string($0.description) }))
    }

    /// Prints what was exchanged, and the outcome of changes that did not win.
    func describe(_ report: SyncReport, of book: ExpenseBook) {
        let done = text(
            "Sent \(report.pushed), received \(report.pulled)", fr: "Envoyés \(report.pushed), reçus \(report.pulled)")
        screen.line(Line(report.isUpToDate ? done + text(": up to date.", fr: " : à jour.") : done + "."))
        if !report.isUpToDate {
            let state = plain(report.state, of: book.replica)
            screen.line(
                Line(
                    text(
                        "Not up to date: \(state) What was entered here is kept, and goes with the next sync.",
                        fr:
                            "Pas à jour : \(state) Ce qui a été saisi ici est gardé et partira à la prochaine synchronisation."
                    ),
                    .bad))
        }
        if report.beaten > 0 { showBeaten(report.beaten, in: book) }
        if report.refused > 0 {
            let file = ShellWord.quoted(book.replica.path)
            screen.line(
                Line(
                    text(
                        "Changes of yours that were refused: \(report.refused). See why: roost journal \(file)",
                        fr: "Changements refusés : \(report.refused). Voir pourquoi : roost journal \(file)"), .bad))
        }
        if report.hidden + report.shown > 0 {
            screen.line(
                Line(
                    text(
                        "Hidden now: \(report.hidden). Back: \(report.shown).",
                        fr: "Masqués : \(report.hidden). De retour : \(report.shown).")))
        }
    }

    /// Prints the records that others have deleted, and how to undelete them.
    func showDeleted(_ deleted: [(record: DeletedRecord, device: String?)]) {
        for (record, device) in deleted.prefix(Self.deletedMax) {
            let by = device.map { Column.name($0) } ?? text("another device", fr: "un autre appareil")
            let name = named(record.title, record.amount)
            screen.line(Line(text("Deleted by \(by): \(name).", fr: "Supprimé par \(by) : \(name)."), .bad))
            let command = "cekikapeye undelete \(record.id.description.suffix(12))"
            screen.line(Line(text("  Bring it back: \(command)", fr: "  Rétablir : \(command)"), .dim))
        }
        let more = deleted.count - Self.deletedMax
        guard more > 0 else { return }
        screen.line(
            Line(
                text(
                    "Deleted by others besides: \(more). List them: cekikapeye undelete",
                    fr: "Autres suppressions : \(more). Voir : cekikapeye undelete"), .bad))
    }

    private func showBeaten(_ count: Int, in book: ExpenseBook) {
        for change in (try? book.beaten(last: count)) ?? [] {
            let own = change.own.map { version($0) } ?? text("your deletion", fr: "votre suppression")
            let by = change.device.map { Column.name($0) } ?? text("another device", fr: "un autre appareil")
            let sentence =
                change.standing.map { standing in
                    text(
                        "Yours was replaced: \(own). That of \(by) stands: \(version(standing)).",
                        fr: "Remplacé : \(own). La version de \(by) reste : \(version(standing)).")
                }
                ?? text(
                    "Yours was replaced: \(own). \(by) has deleted it.", fr: "Remplacé : \(own). \(by) l'a supprimé.")
            screen.line(Line(sentence, .bad))
            let command = "roost restore \(ShellWord.quoted(book.replica.path)) \(change.ordinal)"
            screen.line(Line(text("  Bring yours back: \(command)", fr: "  Rétablir la vôtre : \(command)"), .dim))
        }
    }

    private func version(_ version: BeatenChange.Version) -> String { named(version.title, version.amount) }

    private func named(_ title: String, _ amount: Money?) -> String {
        "\"\(Column.name(title))\"\(amount.map { " (\(screen.text($0)))" } ?? "")"
    }

    /// Ends the command according to the report. A command that is not up to date exits with a status that suggests
    /// another attempt, unless the server refuses.
    func finish(_ report: SyncReport) throws {
        guard !report.isUpToDate else { return }
        throw ExitCode((report.isTemporary ? ExitStatus.temporary : .notPermitted).rawValue)
    }
}
