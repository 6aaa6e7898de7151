internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the scope's devices, as the server has them.",
        discussion: """
            A copied or restored file becomes a replica of its own, which is listed with the device that it belongs to.

            EXAMPLE
              roost devices trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let own = try replica.membership()?.replica
            for device in try await replica.scope.devices() {
                common.json ? Console.write(device.json) : Console.write(device.line(own: own))
            }
        }
    }
}

struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a device's access away.",
        discussion: """
            All replicas of the device lose their access, and the open invites that it made are taken back. Devices that \
            joined with its invites keep theirs, and are listed, unless --with-invited is given. What a device has, it keeps.

            EXAMPLES
              roost revoke trip.roost 7a3f182fe519e9f1
              roost revoke trip.roost "Bob's phone" --with-invited
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Argument(help: "The device: its replica as \"roost devices\" lists it, the start of that, or its name.")
    var device: String
    @Flag(help: "Revoke also the devices that joined with its invites, and those that joined with theirs.")
    var withInvited = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let found = try DeviceName(device).match(try await replica.scope.devices())
            let invited = try await replica.scope.revoke(found.replica, includingInvited: withInvited)
            if common.json {
                Console.write(
                    .members(
                        ("revoked", .string(found.replica.description)), ("invited", .array(invited.map(\.json)))))
                return
            }
            Console.write("Revoked \"\(Console.printable(found.name))\" (\(found.replica)).")
            guard !invited.isEmpty else { return }
            Console.write("Joined with its invites, and still have access:")
            for device in invited { Console.write("  " + device.line(own: nil)) }
            Console.write("Revoke them too with --with-invited, or one by one.")
        }
    }
}

struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Give a device another role: viewer, editor or owner.",
        discussion: """
            EXAMPLE
              roost role trip.roost "Bob's phone" viewer
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Argument(help: "The device: its replica as \"roost devices\" lists it, the start of that, or its name.")
    var device: String
    @Argument(help: "What it may do from now on: viewer, editor or owner.", transform: ScopeRole.init(argument:))
    var role: ScopeRole
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let found = try DeviceName(device).match(try await replica.scope.devices())
            try await replica.scope.setRole(role, of: found.replica)
            if common.json {
                Console.write(
                    .members(("replica", .string(found.replica.description)), ("role", .string(role.rawValue))))
            } else {
                Console.write("\"\(Console.printable(found.name))\" (\(found.replica)) is \(role) now.")
            }
        }
    }
}

/// A device's name as a user types it: its replica, the first four or more characters of that, or its device name.
private struct DeviceName {
    private let text: String

    init(_ text: String) { self.text = text }

    func match(_ devices: [ScopeDevice]) throws -> ScopeDevice {
        let identified = devices.filter { device in
            text.utf8.count >= 4 && device.replica.description.utf8.starts(with: text.utf8)
        }
        let open = devices.filter { !$0.isRevoked && $0.name.utf8.elementsEqual(text.utf8) }
        let found = identified.isEmpty ? open : identified
        // All replicas of one device count as one match.
        guard let first = found.first, Set(found.map { $0.renewalOf ?? $0.replica }).count == 1 else {
            let why = found.isEmpty ? "no device is" : "\(found.count) are"
            throw RoostError(
                .invalidArgument,
                "Cannot find the device: \(why) called \"\(text)\". List them with \"roost devices\", and name its replica."
            )
        }
        return first
    }
}

extension ScopeDevice {
    fileprivate func line(own: ReplicaID?) -> String {
        var parts = ["\(replica)  \(isRevoked ? "revoked" : role.rawValue)  \(Console.printable(name))"]
        if replica == own { parts.append("this replica") }
        if let renewalOf { parts.append("renewal of \(renewalOf)") }
        if let invitedBy { parts.append("invited by \(invitedBy)") }
        parts.append("last seen \(Console.time(lastSeen))")
        return parts.joined(separator: ", ")
    }
}

struct InvitesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invites", abstract: "List the scope's open invites, without their links.",
        discussion: """
            EXAMPLES
              roost invites trip.roost
              roost invite trip.roost --revoke 10a16ab5bb464902
            """)

    @Argument(help: "The replica file.")
    var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let invites = try await Replica(opening: file).scope.invites()
            for invite in invites {
                if common.json {
                    Console.write(invite.json)
                } else {
                    Console.write(
                        "\(Console.printable(invite.id))  \(invite.role), \(invite.usesLeft) left, until "
                            + Console.time(invite.expires))
                }
            }
            if invites.isEmpty, !common.json { Console.write("No invite is open.") }
        }
    }
}

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Manage the token by which the server knows this replica.",
        subcommands: [RotateTokenCommand.self])
}

struct RotateTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replace the token, as after somebody may have seen it.",
        discussion: """
            The old token ends with the next synchronisation, or after 24 hours; tokens of earlier identities that its token \
            file still has end at once. Stop roostd for this replica first: a copy of the old token that is used afterwards \
            is taken for stolen, and the device is revoked. A copy of the replica that uses an earlier token has to join \
            again.

            EXAMPLE
              roost token rotate trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            try await Replica(opening: file).rotateToken()
            common.json
                ? Console.write(.members(("rotated", .boolean(true)))) : Console.write("The token was replaced.")
        }
    }
}
