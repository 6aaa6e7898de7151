internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

/// The command `cekikapeye join`, which joins a group by an invite link.
struct JoinCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a group by an invite link.",
        discussion: """
            EXAMPLES:
              cekikapeye join LINK
              cekikapeye join LINK --file corse.roost --me Bob
            """)

    @Argument(help: "The link that \"cekikapeye invite\" gave; \"-\" reads it from standard input.")
    var link: String

    @Option(name: .long, help: "The file to make; else group.roost in this folder.", completion: .file())
    var file: String?

    @Option(name: .long, help: "Which of the people uses this device.")
    var me: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let link = try inviteLink()
        let path = file ?? context.absolute("group.roost")
        ExpenseBook.removeUnfinished(at: path)
        let replica = try await Self.join(link, path, context.deviceName(of: me))
        let report = try await replica.synchronise()
        let book = try context.book(replica)
        guard try book.group() != nil else {
            context.show(context.json(report)) { context.describe(report, of: book) }
            return try context.finish(report)
        }
        let roster = try book.roster()
        // The join has consumed the link by now, so an unknown name does not fail the command.
        let user = me.flatMap { try? roster.member(named: $0) }
        if let user { context.setMe(user.id, in: book) }
        let json = JSONValue.members(
            ("group", BookJSON.group(roster.group)), ("file", .string(replica.path)),
            ("people", .array(roster.members.map { BookJSON.member($0) })), ("me", user.map { .string($0.name) }),
            ("sync", context.json(report)))
        context.show(json) {
            let names = context.list(roster.members.map { Column.name($0.name) })
            context.screen.line("\(bold: Column.name(roster.group.name)): \(names)")
            if let me, user == nil {
                context.screen.warn(
                    context.text(
                        "You have joined, but nobody here is called \"\(me)\", or several are.",
                        fr: "Vous avez rejoint le groupe, mais « \(me) » n'y désigne personne, ou plusieurs."))
            }
            if user == nil {
                context.screen.line(
                    Line(
                        context.text(
                            "Say who you are: cekikapeye me NAME", fr: "Dites qui vous êtes : cekikapeye me NOM")))
            }
            context.describe(report, of: book)
        }
        try context.finish(report)
    }

    /// Joins, and rewords two refusals for a user who has just pasted a link.
    private static func join(_ link: String, _ path: String, _ device: String) async throws -> Replica {
        do { return try await Replica.join(link, at: path, device: device) } catch let error as RoostError
            where error.serverCode == "unauthorized"
        {
            throw CommandError.unknownInvite
        } catch let error as ReplicaError where error.code == .exists && FileManager.default.fileExists(atPath: path) {
            throw CommandError.fileIsThere(path)
        }
    }

    /// Returns the link without the characters that mail and chat programs put around it.
    private func inviteLink() throws(CommandError) -> String {
        let around = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: "<>\"'"))
        let link = SecretArguments.link(link).trimmingCharacters(in: around)
        let address = link.lowercased()
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else { throw .notALink }
        return link
    }
}
