import Predicates
import RoostModel

/// A record in memory, which finds other records through its world.
final class MemoryRecord: PredicateSubject {
    let recordID: RecordID
    let entity: String
    let values: [String: Value]
    private unowned let world: PredicateWorld

    init(_ id: RecordID, _ entity: String, _ values: [String: Value], _ world: PredicateWorld) {
        recordID = id
        self.entity = entity
        self.values = values
        self.world = world
    }

    /// The identifier in a to-one relationship, of an existing or a missing record.
    func named(_ relationship: String) -> RecordID? {
        if case .data(let bytes)? = values[relationship] { RecordID(bytes: bytes) } else { nil }
    }

    func value(_ attribute: String) throws -> Value {
        let declared = world.schema.entity(named: entity)?.attribute(named: attribute)
        return values[attribute] ?? declared?.defaultValue ?? .null
    }

    func target(_ relationship: String) throws -> (any PredicateSubject)? {
        guard let declared = world.schema.entity(named: entity)?.relationship(named: relationship) else { return nil }
        if declared.isSingle { return try targets(relationship).max { $0.recordID < $1.recordID } }
        guard let id = named(relationship) else { return nil }
        return world.records[declared.destination]?[id]
    }

    func targets(_ relationship: String) throws -> [any PredicateSubject] {
        guard let owner = world.schema.entity(named: entity), let declared = owner.relationship(named: relationship)
        else { return [] }
        if declared.kind == .toMany { return world.naming(recordID, declared.destination, declared.inverse) }
        let isOwner = world.schema.ownsLink(owner, declared)
        let name = isOwner ? "\(entity)_\(relationship)" : "\(declared.destination)_\(declared.inverse)"
        let pairs = world.links[name] ?? []
        let ids =
            isOwner
            ? pairs.filter { $0.source == recordID }.map(\.target)
            : pairs.filter { $0.target == recordID }.map(\.source)
        return ids.compactMap { world.records[declared.destination]?[$0] }
    }
}
