internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel

/// Creates a scope on a server: `roost_create_scope` of `roost.h`.
@c(roost_create_scope)
public func createScope(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_create_scope", json, length, out, outLength).answer(replica) { members, entry in
        let server = try members.requiredText("server")
        let adminToken = try members.requiredText("adminToken")
        let name = try members.text("name")
        let device = try members.text("device")
        let seeds = try members.boolean("seed")
        try members.end()
        return try entry.call { use in
            let path = URL(fileURLWithPath: use.replica.path)
            let name = name ?? path.deletingPathExtension().lastPathComponent
            try entry.waits.wait("create the scope") {
                if seeds {
                    try await use.replica.seedScope(on: server, adminToken: adminToken, device: device)
                } else {
                    try await use.replica.createScope(
                        named: name, on: server, adminToken: adminToken, device: device ?? Device.name)
                }
            }
            return try use.replica.membership()?.json ?? .nothing
        }
    }
}

/// Joins the replica's scope again: `roost_rejoin` of `roost.h`.
@c(roost_rejoin)
public func rejoin(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_rejoin", json, length, out, outLength).answer(replica) { members, entry in
        let link = try members.requiredText("link")
        let device = try members.text("device")
        try members.end()
        return try entry.call { use in
            try entry.waits.wait("join again") { try await use.replica.rejoin(link, device: device) }
            return try use.replica.membership()?.json ?? .nothing
        }
    }
}

/// Makes an invite: `roost_invite` of `roost.h`.
@c(roost_invite)
public func invite(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_invite", json, length, out, outLength).answer(replica) { members, entry in
        let role = try members.word("role", of: ScopeRole.self) ?? .editor
        let hours = Int(try members.integer("hours", in: 1...720) ?? 72)
        let uses = Int(try members.integer("uses", in: 1...1_000_000) ?? 1)
        try members.end()
        return try entry.call { use in
            let link = try entry.waits.wait("make an invite") {
                try await use.replica.scope.invite(role: role, hours: hours, uses: uses)
            }
            return .members(("link", .string(link)))
        }
    }
}

/// Lists open invites, or takes one back: `roost_invites` of `roost.h`.
@c(roost_invites)
public func invites(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_invites", json, length, out, outLength).answer(replica) { members, entry in
        let revoked = try members.text("revoke")
        try members.end()
        return try entry.call { use in
            let invites = try entry.waits.wait("list the invites") {
                if let revoked { try await use.replica.scope.revokeInvite(revoked) }
                return try await use.replica.scope.invites()
            }
            return .members(("invites", .array(invites.map(\.json))))
        }
    }
}

/// Lists the scope's devices: `roost_devices` of `roost.h`.
@c(roost_devices)
public func devices(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_devices", json, length, out, outLength).answer(replica) { entry in
        try entry.call { use in
            let own = try use.replica.membership()?.replica
            let devices = try entry.waits.wait("list the devices") { try await use.replica.scope.devices() }
            let list = devices.map { $0.json + .members(("isThis", $0.replica == own ? .boolean(true) : nil)) }
            return .members(("devices", .array(list)))
        }
    }
}

/// Takes a device's access away: `roost_revoke` of `roost.h`.
@c(roost_revoke)
public func revoke(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_revoke", json, length, out, outLength).answer(replica) { members, entry in
        let device = try members.device()
        let includingInvited = try members.boolean("withInvited")
        try members.end()
        return try entry.call { use in
            let invited = try entry.waits.wait("revoke the device") {
                try await use.replica.scope.revoke(device, includingInvited: includingInvited)
            }
            return .members(("invited", .array(invited.map(\.json))))
        }
    }
}

/// Gives a device another role: `roost_set_role` of `roost.h`.
@c(roost_set_role)
public func setRole(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_set_role", json, length, out, outLength).answer(replica) { members, entry in
        let device = try members.device()
        guard let role = try members.word("role", of: ScopeRole.self) else {
            throw CallError(.misuse, "missingMember", "roost_set_role needs \"role\", which is missing.")
        }
        try members.end()
        return try entry.call { use in
            try entry.waits.wait("change the role") { try await use.replica.scope.setRole(role, of: device) }
            return .nothing
        }
    }
}

/// Replaces the replica's token: `roost_rotate_token` of `roost.h`.
@c(roost_rotate_token)
public func rotateToken(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_rotate_token", json, length, out, outLength).answer(replica) { entry in
        try entry.call { use in
            try entry.waits.wait("replace the token") { try await use.replica.rotateToken() }
            return .nothing
        }
    }
}

extension Members {
    /// Returns the replica of a device, which has to be there.
    fileprivate mutating func device() throws(CallError) -> ReplicaID {
        let text = try requiredText("device")
        guard let device = ReplicaID(text) else {
            throw CallError(
                .invalid, "invalidValue",
                "\"device\" of \(place) is \"\(text)\", expected the \"replica\" of a device: 16 hexadecimal digits.")
        }
        return device
    }
}
