internal import Objects
internal import Replica
internal import Roost
internal import RoostMerge
internal import RoostModel

/// Returns what waits, since when, and why: `roost_status` of `roost.h`.
@c(roost_status)
public func status(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_status", json, length, out, outLength).answer(replica) { entry in
        try entry.call { use in
            let holder = SyncLease.holder(of: use.replica.path)
            let members = try use.replica.status().members(try use.replica.membership(), holder: holder)
            return .object(members + [JSONValue.Member("live", entry.liveState)])
        }
    }
}

/// Says why a record is visible or not: `roost_explain` of `roost.h`.
@c(roost_explain)
public func explain(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_explain", json, length, out, outLength).answer(replica) { members, entry in
        let entity = try members.requiredText("entity")
        let id = try members.recordID()
        try members.end()
        return try entry.call { use in
            let form = try RowForm(entity, in: use.schema)
            let names = RecordForm(use.replica)
            switch try use.replica.liveness(of: RecordKey(entity: form.entity.id, id: id)) {
            case .visible: return .members(("state", .string("visible")))
            case .kept(by: let keepers):
                return .members(("state", .string("kept")), ("by", .array(keepers.map { names.reference($0) })))
            case .hidden(because: let cause):
                return .members(("state", .string("hidden")), ("because", names.reference(cause)))
            case .deleted: return .members(("state", .string("deleted")))
            case .absent: return .members(("state", .string("absent")))
            }
        }
    }
}

/// Lists changes that are not current, or deleted records: `roost_journal` of `roost.h`.
@c(roost_journal)
public func journal(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_journal", json, length, out, outLength).answer(replica) { members, entry in
        let isWhole = try members.boolean("all")
        let isOfDeleted = try members.boolean("deleted")
        let days = try members.integer("keepDays", in: 0...36_500)
        try members.end()
        return try entry.call { use in
            let replica = use.replica
            if let days { try replica.keepJournal(days: Int(days)) }
            let form = RecordForm(replica, devices: try replica.devices(), own: try replica.membership())
            guard !isOfDeleted else {
                let deleted = try replica.deleted().map { record in
                    form.reference(record.key)
                        + .members(
                            ("deletedBy", record.deletedBy.map { .string(form.author($0)) }),
                            ("put", form.object(record.put, record.key)))
                }
                return .members(("deleted", .array(deleted)))
            }
            let entries = try isWhole ? replica.wholeJournal() : replica.journal()
            return .members(("entries", .array(entries.map { $0.json(form) })))
        }
    }
}

extension JournalEntry {
    /// The entry as a JSON object.
    fileprivate func json(_ form: RecordForm) -> JSONValue {
        .members(
            ("number", ordinal.map { .integer($0) }), ("at", at.map { .integer($0) }),
            ("outcome", .string(outcome.rawValue)), ("entity", .string(form.entity(key))),
            ("id", .string(key.id.description)), ("stamp", stamp.map { .string($0.description) }),
            ("by", by.map { .string($0.description) }), ("byDevice", by.map { .string(form.author($0)) }),
            ("reason", .string(reason)), ("isCurrent", .boolean(isCurrent)),
            ("put", put.map { form.object($0, key) }))
    }
}

/// Searches the file for damage: `roost_check` of `roost.h`.
@c(roost_check)
public func check(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_check", json, length, out, outLength).answer(replica) { entry in
        try entry.call { use in
            let form = RecordForm(use.replica)
            return try use.replica.check().json { form.reference($0) }
        }
    }
}

/// Copies the file: `roost_backup` of `roost.h`.
@c(roost_backup)
public func backup(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_backup", json, length, out, outLength).answer(replica) { members, entry in
        let path = try members.path()
        try members.end()
        try entry.call { try $0.replica.backup(to: path) }
        return .nothing
    }
}

/// Returns the schema of the replica: `roost_schema` of `roost.h`.
@c(roost_schema)
public func schema(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_schema", json, length, out, outLength).answer(replica) { entry in
        try entry.call { use in
            let schema = use.replica.schema
            let next = try use.replica.nextSchema()
            return .members(
                ("name", .string(schema.name)), ("version", .integer(schema.version)),
                ("schema", try JSONParser.parse(schema.source)),
                ("next", next.map { .integer($0.version) } ?? .null))
        }
    }
}

/// Brings the replica to a later version of its schema: `roost_migrate` of `roost.h`.
@c(roost_migrate)
public func migrate(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_migrate", json, length, out, outLength).answer(replica) { members, entry in
        let given = try members.schema()
        try members.end()
        return try entry.exclusively { use, durability in
            let before = use.replica.schema
            guard let next = try given ?? use.replica.nextSchema(), next.version > before.version else {
                try check(given, use.replica)
                return (versions(before.version, before.version), nil)
            }
            try Replica.migrate(at: use.replica.path, by: MigrationPlan(to: next), durability: durability)
            let replica = try Replica(opening: use.replica.path, durability: durability)
            return (versions(before.version, replica.schema.version), replica)
        }
    }
}

private func versions(_ from: Int, _ to: Int) -> JSONValue { .members(("from", .integer(from)), ("to", .integer(to))) }

/// Checks that there is nothing to migrate: a given schema is that of the replica, and no later one is unread.
private func check(_ given: Schema?, _ replica: Replica) throws {
    let present = replica.schema
    guard let given else {
        guard let version = try replica.status().nextSchemaVersion, version > present.version else { return }
        throw CallError(
            .invalid, "cannotMigrate",
            "Cannot migrate: this version of the library does not understand version \(version) of the scope's schema.")
    }
    guard given.version == present.version, given.name == present.name,
        try JSONParser.parse(given.source) == JSONParser.parse(present.source)
    else {
        throw CallError(
            .invalid, "cannotMigrate",
            "Cannot migrate: the schema is \"\(given.name)\" of version \(given.version), and the replica has "
                + "\"\(present.name)\" of version \(present.version). Versions only ascend, and the name stays.")
    }
}
