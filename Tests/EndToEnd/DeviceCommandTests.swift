import Foundation
import TestProcesses
import Testing

/// Devices, invites and tokens from the command line.
@Suite(.serialized) struct DeviceCommandTests {
    private static func members(_ output: Programs.Output) -> [[String: Any]] {
        output.lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    @Test func aDeviceIsListedLoweredAndRevoked() throws {
        let stage = try Stage()
        let owner = try stage.makeScope()
        let other = try stage.join(owner, as: "b.roost")
        let devices = Self.members(try Programs.check("roost", "devices", owner, "--json"))
        #expect(devices.count == 2)
        let replica = try #require(devices.last?["replica"] as? String)
        #expect(devices.last?["invitedBy"] as? String == devices.first?["replica"] as? String)
        try Programs.check("roost", "role", owner, replica, "viewer")
        #expect(
            Self.members(try Programs.check("roost", "devices", other, "--json")).last?["role"] as? String == "viewer")
        #expect(try Programs.run("roost", ["revoke", other, replica]).status != 0)
        // A prefix of the replica's identifier is accepted, and an unknown name is not.
        #expect(try Programs.run("roost", ["revoke", owner, "nobody"]).error.contains("roost devices"))
        try Programs.check("roost", "revoke", owner, String(replica.prefix(8)))
        #expect(try Programs.run("roost", ["sync", other]).status != 0)
        #expect(try Programs.check("roost", "devices", owner).standard.contains("revoked"))
    }

    @Test func revokingListsWhoJoinedThroughTheDevice() throws {
        let stage = try Stage()
        let owner = try stage.makeScope()
        let second = try stage.join(owner, as: "b.roost", role: "owner")
        let third = try stage.join(second, as: "c.roost")
        let devices = Self.members(try Programs.check("roost", "devices", owner, "--json"))
        let replica = try #require(devices[1]["replica"] as? String)
        let output = try Programs.check("roost", "revoke", owner, replica)
        #expect(output.standard.contains("--with-invited"))
        #expect(output.standard.contains(try #require(devices[2]["replica"] as? String)))
        try Programs.check("roost", "sync", third)
        try Programs.check("roost", "revoke", owner, replica, "--with-invited")
        #expect(try Programs.run("roost", ["sync", third]).status != 0)
        try Programs.check("roost", "sync", owner)
    }

    @Test func anInviteIsListedAndTakenBack() throws {
        let stage = try Stage()
        let owner = try stage.makeScope()
        let link = try Programs.check("roost", "invite", owner).lines[0]
        let invites = Self.members(try Programs.check("roost", "invites", owner, "--json"))
        let id = try #require(invites.first?["id"] as? String)
        #expect(invites.first?["role"] as? String == "editor")
        try Programs.check("roost", "invite", owner, "--revoke", id)
        #expect(try Programs.check("roost", "invites", owner).standard.contains("No invite is open."))
        #expect(try Programs.run("roost", ["join", link, stage.path("b.roost")]).status != 0)
        #expect(try Programs.run("roost", ["invite", owner, "--revoke", "../devices"]).error.contains("roost invites"))
    }

    @Test func aTokenIsReplaced() throws {
        let stage = try Stage()
        let owner = try stage.makeScope()
        func token() throws -> String { try String(contentsOfFile: owner + "-token", encoding: .utf8) }
        let old = try token()
        try Programs.check("roost", "token", "rotate", owner)
        #expect(try token() != old)
        try Programs.check("roost", "sync", owner)
        try Programs.check("roost", "devices", owner)
    }

    /// Every user of a machine may read the arguments of every process on it.
    @Test func anInviteLeavesTheArguments() throws {
        #if os(Linux)
            let stage = try Stage()
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = bind(listener, pointer, size)
                    _ = getsockname(listener, pointer, &size)
                }
            }
            listen(listener, 1)
            let port = UInt16(bigEndian: address.sin_port)
            // The token has the length of an invite's token. No server answers.
            let token = "roost_i_" + String(repeating: "Q", count: 36)
            let process = Process()
            process.executableURL = Programs.url("roost")
            process.arguments = ["join", "http://127.0.0.1:\(port)/join#\(token)", stage.path("x.roost")]
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { process.terminate() }
            let path = "/proc/\(process.processIdentifier)/cmdline"
            #expect(
                try eventually {
                    let arguments = try String(contentsOfFile: path, encoding: .utf8)
                    return arguments.contains("roost_i_xxxx") && !arguments.contains("QQQQ")
                })
        #endif
    }
}
