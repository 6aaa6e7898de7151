internal import RoostModel

/// Resolves the names of key paths in a schema.
struct PathResolver: Sendable {
    /// One relationship of a path.
    struct Step: Hashable, Sendable {
        var relationship: Relationship
        /// The entity where the step starts.
        var owner: Entity
        var destination: Entity

        /// Whether the step takes all records that refer to a single end, and not only the shown one.
        var takesAll = false
        /// The record that the step leads to, of a relationship to several; `nil` for all of them.
        var element: PredicatePath.Element?

        var isToMany: Bool { relationship.kind != .toOne && !leadsToOneOfSeveral }
        /// Whether the step leads to one of the records that refer to its start, which no column of the start names.
        var leadsToOneOfSeveral: Bool { showsOne || element != nil }
        /// Whether the step leads to the shown record of a single end, which has no column.
        var showsOne: Bool { relationship.isSingle && !takesAll }
    }

    /// The end of a path.
    enum Leaf: Hashable, Sendable {
        case attribute(Attribute)
        /// The record at the end of the steps, or at the path's start.
        case record
    }

    struct Resolved: Hashable, Sendable {
        var steps: [Step]
        var leaf: Leaf
        /// The entity of the leaf.
        var entity: Entity
        /// Whether the path goes on to the length of the text that is its leaf.
        var isLength = false

        var isToMany: Bool { steps.contains(where: \.isToMany) }
    }

    /// The name after a text attribute's that stands for the number of its characters.
    static let length = "length"

    let schema: Schema

    func entity(named name: String) throws(BindingFault) -> Entity {
        if let entity = schema.entity(named: name) { return entity }
        let known = schema.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw BindingFault(.unknownProperty, "There is no entity \"\(name)\" in the schema. It has \(known).")
    }

    func resolve(_ path: PredicatePath, from entity: Entity) throws(BindingFault) -> Resolved {
        let (names, location) = (path.names, path.location)
        var resolved = Resolved(steps: [], leaf: .record, entity: entity)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            if let relationship = resolved.entity.relationship(named: name) {
                let destination = try self.entity(named: relationship.destination)
                var step = Step(relationship: relationship, owner: resolved.entity, destination: destination)
                if let element = path.elements[index] {
                    guard step.isToMany else { throw onlyOne(name, of: resolved.entity, element, location) }
                    step.element = element
                }
                resolved.steps.append(step)
                resolved.entity = destination
            } else if let element = path.elements[index] {
                throw onlyOne(name, of: resolved.entity, element, location)
            } else if let attribute = resolved.entity.attribute(named: name) {
                resolved.leaf = .attribute(attribute)
                if isLast { continue }
                resolved.isLength = index == names.count - 2 && names.last == Self.length && attribute.kind.isText
                guard resolved.isLength else { throw nothingBelow(attribute.name, of: resolved.entity, location) }
                return resolved
            } else if name == "id" {
                guard isLast else { throw nothingBelow(name, of: resolved.entity, location) }
            } else {
                throw unknown(name, of: resolved.entity, location)
            }
        }
        return resolved
    }

    private func onlyOne(
        _ name: String, of entity: Entity, _ element: PredicatePath.Element, _ location: FormatLocation?
    ) -> BindingFault {
        BindingFault(
            .multiplicity,
            "\"\(name)\" of \"\(entity.name)\" is no relationship to several. Leave [\(element.rawValue)] out.",
            at: location)
    }

    private func nothingBelow(_ name: String, of entity: Entity, _ location: FormatLocation?) -> BindingFault {
        BindingFault(
            .unknownProperty, "\"\(name)\" of \"\(entity.name)\" is no relationship: a path ends with it.", at: location
        )
    }

    private func unknown(_ name: String, of entity: Entity, _ location: FormatLocation?) -> BindingFault {
        let known = entity.attributes.map(\.name) + entity.relationships.map(\.name) + ["id"]
        let cure: String
        if let nearest = NearestName.of(name, among: known) {
            cure = "Did you mean \"\(nearest)\"?"
        } else {
            let names = known.map { "\"\($0)\"" }
            cure = "It has \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? " and others" : "")."
        }
        return BindingFault(
            .unknownProperty, "\"\(entity.name)\" has no property \"\(name.prefix(64))\". \(cure)", at: location)
    }
}

extension Attribute.Kind {
    /// Whether values of the type are text.
    fileprivate var isText: Bool { self == .string || self == .json || self == .date }
}

extension Schema {
    /// Whether a stored reference may dangle. A dangling reference counts as nil, so its target must be queried.
    func mayDangle(_ relationship: Relationship) -> Bool {
        let inverse = entity(named: relationship.destination)?.relationship(named: relationship.inverse)
        return !relationship.isTree && inverse?.deleteRule == .noAction
    }
}
