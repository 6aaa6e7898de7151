internal import ArgumentParser
internal import CekikapeyeApp
internal import Roost
internal import RoostModel
internal import Terminal

extension CommandContext {
    func json(_ report: SyncReport) -> JSONValue {
        .members(
            ("upToDate", .boolean(report.isUpToDate)), ("state", .string(report.state)),
            ("pushed", .integer(report.pushed)), ("pulled", .integer(report.pulled)),
            ("beaten", .integer(report.beaten)), ("refused", .integer(report.refused)),
            ("hidden", .integer(report.hidden)), ("shown", .integer(report.shown)),
            ("digest", report.digest.map { .string($0.description) }))
    }

    /// Says what was exchanged, and what became of changes that lost.
    func describe(_ report: SyncReport) {
        let state = report.isUpToDate ? text("up to date.", fr: "à jour.") : report.state
        screen.line(
            Line(
                text(
                    "Sent \(report.pushed), received \(report.pulled): \(state)",
                    fr: "Envoyés \(report.pushed), reçus \(report.pulled) : \(state)")))
        if report.beaten + report.refused > 0 {
            screen.line(
                Line(
                    text(
                        "\(report.beaten) of your changes were beaten by later ones, \(report.refused) refused.",
                        fr: "\(report.beaten) de vos changements ont été devancés, \(report.refused) refusés."), .bad))
        }
        if report.hidden + report.shown > 0 {
            screen.line(
                Line(
                    text(
                        "\(report.hidden) records are hidden now, \(report.shown) are back.",
                        fr: "\(report.hidden) enregistrements masqués, \(report.shown) de retour.")))
        }
    }

    /// Ends the command as the report demands: what is not up to date is to be tried again, unless the server refuses.
    func finish(_ report: SyncReport) throws {
        guard !report.isUpToDate else { return }
        throw ExitCode((report.isTemporary ? ExitStatus.temporary : .notPermitted).rawValue)
    }
}
