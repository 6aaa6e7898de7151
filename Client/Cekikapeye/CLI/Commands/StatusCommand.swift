internal import ArgumentParser
internal import CekikapeyeApp
internal import Replica
internal import RoostModel

/// The command `cekikapeye status`, which prints the state of the replica.
struct StatusCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the file, the server, and what waits to be synchronised.",
        discussion: "EXAMPLES:\n  cekikapeye status --json")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let replica = try context.openBook().replica
        let line = try context.syncLine(replica)
        let status = try replica.status()
        let membership = try replica.membership()
        let json = try context.syncJSON(replica)
        context.show(json) {
            context.screen.line(Line(context.text("File: \(replica.path)", fr: "Fichier : \(replica.path)")))
            if let membership {
                let device = Column.name(membership.deviceName)
                context.screen.line(
                    Line(
                        context.text(
                            "You are \(membership.role) as \"\(device)\".",
                            fr: "Vous êtes \(membership.role), appareil « \(device) ».")))
            }
            context.screen.line(Line(line))
            context.screen.line(
                Line(
                    context.text(
                        "Beaten \(status.beaten), refused \(status.refused), hidden \(status.hidden).",
                        fr: "Devancés \(status.beaten), refusés \(status.refused), masqués \(status.hidden)."), .dim))
        }
    }
}
