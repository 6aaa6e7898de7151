internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel

/// Makes a replica file, and opens it: `roost_create` of `roost.h`.
@c(roost_create)
public func createReplica(
    _ json: UnsafePointer<CChar>?, _ length: Int, _ replica: HandlePointer?, _ out: TextPointer?,
    _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_create", json, length, out, outLength).answer(replica) { members, handle in
        let path = try members.path()
        let schema = try members.schema()
        let (identifiers, durability) = try members.fileForm()
        try members.end()
        guard let schema else {
            throw CallError(.misuse, "missingMember", "roost_create needs \"schema\", which is missing.")
        }
        OwnProcess.claim()
        let replica = try Replica.create(at: path, schema: schema, identifiers: identifiers, durability: durability)
        handle.pointee = HandleTable.shared.add(.replica(try ReplicaEntry(replica, durability)))
        return replica.description
    }
}

/// Opens a replica file: `roost_open` of `roost.h`.
@c(roost_open)
public func openReplica(
    _ json: UnsafePointer<CChar>?, _ length: Int, _ replica: HandlePointer?, _ out: TextPointer?,
    _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_open", json, length, out, outLength).answer(replica) { members, handle in
        let path = try members.path()
        let durability = try members.word("durability", of: Durability.self) ?? .full
        let repairs = try members.boolean("repair")
        try members.end()
        OwnProcess.claim()
        let repair = repairs ? try Replica.repair(at: path) : nil
        let replica = try Replica(opening: path, durability: durability)
        handle.pointee = HandleTable.shared.add(.replica(try ReplicaEntry(replica, durability)))
        let notices = (repair?.notices ?? []).map { JSONValue.string($0) }
        return replica.description + .members(("notices", repairs ? .array(notices) : nil))
    }
}

/// Joins the scope of an invite with a new replica file: `roost_join` of `roost.h`.
@c(roost_join)
public func joinScope(
    _ json: UnsafePointer<CChar>?, _ length: Int, _ replica: HandlePointer?, _ out: TextPointer?,
    _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_join", json, length, out, outLength).answer(replica) { members, pointer in
        let link = try members.requiredText("link")
        let path = try members.path()
        let device = try members.text("device") ?? Device.name
        let (identifiers, durability) = try members.fileForm()
        try members.end()
        OwnProcess.claim()
        let waits = Waits()
        let handle = HandleTable.shared.add(.opening(waits))
        pointer.pointee = handle
        do {
            let replica = try waits.wait("join") {
                try await Replica.join(
                    link, at: path, device: device, identifiers: identifiers, durability: durability)
            }
            HandleTable.shared.replace(handle, by: try ReplicaEntry(replica, durability))
            return replica.description + (try replica.membership()?.json ?? .nothing)
        } catch {
            HandleTable.shared.remove(handle)
            throw error
        }
    }
}

/// Closes a replica: `roost_close` of `roost.h`.
@c(roost_close)
public func closeReplica(_ replica: Int64, _ out: TextPointer?, _ outLength: LengthPointer?) -> Int32 {
    Output(out, outLength).answer {
        let entry = try HandleTable.shared.replica(replica)
        // Of two threads that close one handle, one has removed it.
        guard HandleTable.shared.remove(replica) != nil else {
            throw CallError(.closed, "closedHandle", "The handle \(replica) is closed.")
        }
        HandleTable.shared.removeObservations(of: entry)
        try entry.close()
        return .nothing
    }
}

/// The defaults of this machine.
enum Device {
    /// The name of the device that members of a scope see.
    static var name: String { ProcessInfo.processInfo.hostName.parts(at: ".").first ?? "device" }
}

extension Members {
    /// Returns the schema, as an object or as the text of one; `nil` where it is missing.
    ///
    /// - Throws: ``CallError``, or `SchemaError` with all problems of the schema.
    mutating func schema() throws -> Schema? {
        guard let value = value("schema") else { return nil }
        guard value.members != nil || value.stringValue != nil else {
            throw CallError(
                .misuse, "wrongType", "\"schema\" of \(place) is \(value.kindName), expected an object or its text.")
        }
        let (schema, problems) = Schema.check(json: value.stringValue ?? value.text)
        guard let schema else { throw SchemaError(problems) }
        return schema
    }

    /// Returns the form and the durability of a new file.
    mutating func fileForm() throws(CallError) -> (IdentifierForm, Durability) {
        (
            try word("identifiers", of: IdentifierForm.self) ?? .bytes,
            try word("durability", of: Durability.self) ?? .full
        )
    }
}

extension Replica {
    /// The replica as a JSON object, for the calls that open it.
    fileprivate var description: JSONValue {
        .members(
            ("path", .string(path)),
            ("schema", .members(("name", .string(schema.name)), ("version", .integer(schema.version)))),
            ("identifiers", .string(identifiers.rawValue)))
    }
}
