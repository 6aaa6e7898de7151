internal import Objects
internal import Replica
internal import Roost
internal import RoostModel

/// Returns the records that a predicate selects, their values, or totals: `roost_fetch` of `roost.h`.
@c(roost_fetch)
public func fetch(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_fetch", json, length, out, outLength).answer(replica) { members, entry in
        let fetch = try FetchCall(&members)
        try members.end()
        return try entry.call { try fetch.run($0) }
    }
}

/// Returns one record: `roost_get` of `roost.h`.
@c(roost_get)
public func get(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_get", json, length, out, outLength).answer(replica) { members, entry in
        let entity = try members.requiredText("entity")
        let id = try members.recordID()
        try members.end()
        return try entry.call { use in
            let form = try RowForm(entity, in: use.schema)
            let context = use.context
            let record = try context.object(form.entity.name, id: id).map { try form.record($0) }
            return withExtendedLifetime(context) { .members(("kinds", form.kinds), ("record", record ?? .null)) }
        }
    }
}

/// Writes records in one transaction: `roost_write` of `roost.h`.
@c(roost_write)
public func write(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_write", json, length, out, outLength).answer(replica) { members, entry in
        let write = try WriteCall(&members)
        try members.end()
        return try entry.write { try write.run($0) }
    }
}

/// Undoes the last transaction: `roost_undo` of `roost.h`.
@c(roost_undo)
public func undo(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_undo", json, length, out, outLength).answer(replica) { entry in
        let label = try entry.write { try $0.replica.undo() }
        return .members(("label", label.map { .string($0) } ?? .null))
    }
}

/// Redoes the transaction that was undone last: `roost_redo` of `roost.h`.
@c(roost_redo)
public func redo(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_redo", json, length, out, outLength).answer(replica) { entry in
        let label = try entry.write { try $0.replica.redo() }
        return .members(("label", label.map { .string($0) } ?? .null))
    }
}

/// Brings a deleted record back: `roost_undelete` of `roost.h`.
@c(roost_undelete)
public func undelete(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_undelete", json, length, out, outLength).answer(replica) { members, entry in
        let entity = try members.requiredText("entity")
        let id = try members.recordID()
        try members.end()
        return try entry.write { use in
            let context = use.context
            _ = try RowForm(entity, in: use.schema)
            let object = try context.undelete(entity, id: id)
            try context.save("undelete \(entity)")
            return withExtendedLifetime(object) { .nothing }
        }
    }
}

/// Writes the content of a journal entry as a new change: `roost_restore` of `roost.h`.
@c(roost_restore)
public func restore(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_restore", json, length, out, outLength).answer(replica) { members, entry in
        let number = try members.integer("number", in: 1...Int64.max)
        try members.end()
        guard let number else {
            throw CallError(.misuse, "missingMember", "roost_restore needs \"number\", which is missing.")
        }
        return try entry.write { use in
            let restored = try use.replica.restore(number)
            return RecordForm(use.replica).reference(restored.key)
                + .members(("outcome", .string(restored.outcome.rawValue)))
        }
    }
}
