internal import ArgumentParser
internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make a link by which others join, or take one back.",
        discussion: """
            The link is a secret: who has it can join until it is used up or has expired.

            EXAMPLES
              roost invite trip.roost
              roost invite trip.roost --role viewer --uses 5 --hours 24
              roost invite trip.roost --revoke 10a16ab5bb464902
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Option(help: "What they may do: viewer, editor or owner.", transform: ScopeRole.init(argument:))
    var role = ScopeRole.editor
    @Option(help: "How long the link is valid, in hours, 1 to 720.")
    var hours = 72
    @Option(help: "How many may join with it.")
    var uses = 1
    @Option(help: ArgumentHelp("Revoke the invite that \"roost invites\" lists so; make none.", valueName: "id"))
    var revoke: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            if let revoke {
                try await replica.scope.revokeInvite(revoke)
                common.json
                    ? Console.write(.members(("revoked", .string(revoke))))
                    : Console.write("Nobody joins with the invite \(revoke) any more.")
                return
            }
            let link = try await replica.scope.invite(role: role, hours: hours, uses: uses)
            common.json ? Console.write(.members(("link", .string(link)))) : Console.write(link)
        }
    }
}

struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Make a replica from an invite link, or attach a replica file again.",
        discussion: """
            With a file that is a replica of the same scope, it joins again with that: for a device that the server does not know \
            any more, because it was restored from a backup, for one whose access was revoked or whose token is gone, and for a copy. It \
            gets a new identity, what waits is pushed, and what the server lost is brought back. Stop roostd for the file first.

            EXAMPLES
              roost join 'https://roost.example/join#roost_i_…' trip.roost \\
                --device "Ana's laptop"
              roost join - trip.roost < link.txt
              roost join - trip.roost --identifiers text < link.txt
            """)

    @Argument(help: "The invite link; quote it, for it holds a '#'. \"-\" reads it from standard input.")
    var link: String
    @Argument(help: "The replica file to make, or to attach again.")
    var file: String
    @Option(help: "This device's name, as others see it. Default: the machine's; of a file that is there, as before.")
    var device: String?
    @OptionGroup var form: IdentifierOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let isNew = !FileManager.default.fileExists(atPath: file) || UnfinishedReplica.isLeft(at: file)
            let replica = try isNew ? await join() : await joinAgain()
            let report = try await replica.synchronise()
            let name = try replica.membership()?.scopeName ?? ""
            if common.json {
                Console.write(
                    .members(
                        ("replica", .string(file)), ("scopeName", .string(name)), ("pulled", .integer(report.pulled)),
                        ("pushed", isNew ? nil : .integer(report.pushed)),
                        ("broughtBack", isNew ? nil : .integer(report.broughtBack))))
            } else if isNew {
                Console.write(
                    "Joined \"\(Console.name(name))\" as \"\(file)\" and pulled \(report.pulled) records.")
            } else {
                Console.write(
                    "Joined \"\(Console.name(name))\" again with \"\(file)\": pushed \(report.pushed) changes, pulled "
                        + "\(report.pulled) records, brought \(report.broughtBack) back that the server had lost.")
            }
            guard !report.isUpToDate else { return }
            Console.note("roost: not up to date: \(Console.printable(report.state))")
            throw ExitCode((report.isTemporary ? ExitStatus.temporary : .notPermitted).rawValue)
        }
    }

    private func join() async throws -> Replica {
        try await Replica.join(
            SecretArguments.link(link), at: file, device: device ?? defaultDeviceName(),
            identifiers: form.identifiers ?? .bytes)
    }

    private func joinAgain() async throws -> Replica {
        let replica = try Replica(opening: file)
        try form.check(replica)
        try await replica.rejoin(SecretArguments.link(link), device: device)
        return replica
    }
}
