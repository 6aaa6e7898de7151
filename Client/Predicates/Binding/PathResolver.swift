internal import RoostModel

/// Looks the names of key paths up in a schema.
struct PathResolver: Sendable {
    /// One relationship on the way.
    struct Step: Hashable, Sendable {
        var relationship: Relationship
        /// Where it starts.
        var owner: Entity
        var destination: Entity

        /// Whether all records that name a single end are meant, and not only the one that it shows.
        var takesAll = false

        var isToMany: Bool { relationship.kind != .toOne && !showsOne }
        /// Whether it leads to the one that a single end shows, which nothing stores.
        var showsOne: Bool { relationship.isSingle && !takesAll }
    }

    /// What a path ends in.
    enum Leaf: Hashable, Sendable {
        case attribute(Attribute)
        /// The record that the steps lead to, or the one that the path starts at.
        case record
    }

    struct Resolved: Hashable, Sendable {
        var steps: [Step]
        var leaf: Leaf
        /// The entity that the leaf belongs to.
        var entity: Entity

        var isToMany: Bool { steps.contains(where: \.isToMany) }
    }

    let schema: Schema

    func entity(named name: String) throws(BindingFault) -> Entity {
        if let entity = schema.entity(named: name) { return entity }
        let known = schema.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw BindingFault(.unknownProperty, "There is no entity \"\(name)\" in the schema. It has \(known).")
    }

    func resolve(
        _ names: [String], from entity: Entity, at place: SourcePlace?
    ) throws(BindingFault) -> Resolved {
        var resolved = Resolved(steps: [], leaf: .record, entity: entity)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            if let relationship = resolved.entity.relationship(named: name) {
                let destination = try self.entity(named: relationship.destination)
                let step = Step(relationship: relationship, owner: resolved.entity, destination: destination)
                resolved.steps.append(step)
                resolved.entity = destination
            } else if let attribute = resolved.entity.attribute(named: name) {
                guard isLast else { throw nothingBelow(attribute.name, of: resolved.entity, place) }
                resolved.leaf = .attribute(attribute)
            } else if name == "id" {
                guard isLast else { throw nothingBelow(name, of: resolved.entity, place) }
            } else {
                throw unknown(name, of: resolved.entity, place)
            }
        }
        return resolved
    }

    private func nothingBelow(_ name: String, of entity: Entity, _ place: SourcePlace?) -> BindingFault {
        BindingFault(
            .unknownProperty, "\"\(name)\" of \"\(entity.name)\" is no relationship: a path ends with it.", at: place)
    }

    private func unknown(_ name: String, of entity: Entity, _ place: SourcePlace?) -> BindingFault {
        let known = entity.attributes.map(\.name) + entity.relationships.map(\.name) + ["id"]
        let cure: String
        if let nearest = NearestName.of(name, among: known) {
            cure = "Did you mean \"\(nearest)\"?"
        } else {
            let names = known.map { "\"\($0)\"" }
            cure = "It has \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? " and others" : "")."
        }
        return BindingFault(
            .unknownProperty, "\"\(entity.name)\" has no property \"\(name.prefix(64))\". \(cure)", at: place)
    }
}

extension Schema {
    /// Whether a stored reference may name a record that is not there, and then has to be looked up before it counts.
    func mayDangle(_ relationship: Relationship) -> Bool {
        let inverse = entity(named: relationship.destination)?.relationship(named: relationship.inverse)
        return !relationship.isTree && inverse?.deleteRule == .noAction
    }
}
