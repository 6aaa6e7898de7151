/// The keys of a relationship that determine how the object layer shows a to-many end. Storage does not depend on them.
enum SchemaEnds {
    typealias Finding = (reason: String, cure: String)

    /// Finds errors in these keys, each with its cure.
    static func errors(of relationship: Relationship, to destination: Entity) -> [Finding] {
        single(relationship) + ordered(relationship, to: destination)
    }

    private static func single(_ relationship: Relationship) -> [Finding] {
        guard relationship.isSingle else { return [] }
        switch relationship.kind {
        case .toMany:
            guard relationship.orderedBy != nil else { return [] }
            return [("it is single and has an order", "Remove \"single\" or \"orderedBy\"")]
        case .toOne:
            return [
                (
                    "\"single\" is on the side that stores the reference, which names one in any case",
                    "Declare it on \"\(relationship.destination).\(relationship.inverse)\""
                )
            ]
        case .manyToMany:
            return [
                (
                    "a manyToMany relationship cannot be single",
                    "Make the side that is to be stored toOne, and the other toMany with \"single\": true"
                )
            ]
        }
    }

    private static func ordered(_ relationship: Relationship, to destination: Entity) -> [Finding] {
        guard let name = relationship.orderedBy else { return [] }
        switch relationship.kind {
        case .toOne:
            return [
                (
                    "\"orderedBy\" is on the side that stores the reference, which names one",
                    "Declare it on \"\(relationship.destination).\(relationship.inverse)\""
                )
            ]
        case .manyToMany:
            return [
                (
                    "a manyToMany relationship has no order, for links have no attributes",
                    "Declare an entity of its own with a toOne to either end and a string attribute, and order by that"
                )
            ]
        case .toMany: return position(name, relationship, destination)
        }
    }

    private static func position(
        _ name: String, _ relationship: Relationship, _ destination: Entity
    ) -> [Finding] {
        let cure = "Declare a string attribute of \"\(destination.name)\" for it, with \"optional\": true"
        guard let attribute = destination.attribute(named: name) else {
            return [("it is ordered by \"\(name)\", which is not an attribute of \"\(destination.name)\"", cure)]
        }
        guard attribute.kind == .string else {
            return [("it is ordered by \"\(name)\", which is of the type \(attribute.kind.rawValue)", cure)]
        }
        guard attribute.defaultValue == nil || attribute.defaultValue == .null else {
            return [
                (
                    "it is ordered by \"\(name)\", whose default would put every new record at one place",
                    "Remove the default"
                )
            ]
        }
        return []
    }

    /// Finds relationships that would move each other's records.
    static func sharedPositions(in schema: Schema) -> [SchemaProblem] {
        var users: [String: String] = [:]
        return schema.entities.flatMap { entity in
            entity.relationships.compactMap { relationship -> SchemaProblem? in
                guard let name = relationship.orderedBy else { return nil }
                let user = "\(entity.name).\(relationship.name)"
                guard let other = users.updateValue(user, forKey: "\(relationship.destination).\(name)") else {
                    return nil
                }
                return SchemaProblem(
                    "it is ordered by \"\(name)\", by which \"\(other)\" is ordered already",
                    cure: "Give each order an attribute of its own", entity: entity.name, property: relationship.name)
            }
        }
    }

    /// Finds keys that work but will surprise users.
    static func lint(_ relationship: Relationship, to destination: Entity?) -> Finding? {
        guard let name = relationship.orderedBy, destination?.attribute(named: name)?.isOptional == false else {
            return nil
        }
        return (
            "it is ordered by \"\(name)\", which is not optional, and programs that do not know the order give no position",
            "Write \"optional\": true on \"\(relationship.destination).\(name)\": what has none comes last"
        )
    }

    // MARK: Versions

    /// Warns of the behaviour of devices that still have the old version, where the keys of a relationship change.
    ///
    /// - Parameters:
    ///   - was: The relationship in the schema `old`.
    ///   - now: The relationship in the schema `new`.
    static func warnings(was: Relationship, in old: Schema, now: Relationship, in new: Schema) -> [Finding] {
        var findings: [Finding] = []
        if was.isSingle != now.isSingle { findings.append(singleChanges(to: now.isSingle, old.version)) }
        guard positionID(was, in: old) != positionID(now, in: new) else { return findings }
        return findings + [orderChanges(from: was.orderedBy, to: now.orderedBy, old.version)]
    }

    private static func singleChanges(to isSingle: Bool, _ version: Int) -> Finding {
        guard isSingle else {
            return (
                "it is no longer single; a device with version \(version) shows one of several, and takes the reference "
                    + "away from the others when it sets one",
                "Let devices update before several matter"
            )
        }
        return (
            "it becomes single; a device with version \(version) shows and adds several, of which the one with the greatest "
                + "identifier shows here",
            "Let devices update soon after"
        )
    }

    private static func orderChanges(from was: String?, to now: String?, _ version: Int) -> Finding {
        let cure = "Let devices update soon after"
        return switch (was, now) {
        case (nil, let now?):
            (
                "it is ordered by \"\(now)\" now; a device with version \(version) shows another order, and what it adds has no "
                    + "position and comes last", cure
            )
        case (let was?, let now?):
            (
                "it is ordered by \"\(now)\" now; a device with version \(version) goes on with the order in \"\(was)\"",
                cure
            )
        case (let was, nil):
            (
                "it has no order any more; a device with version \(version) goes on with the one in \"\(was ?? "")\"",
                cure
            )
        }
    }

    /// Returns the position attribute's id, which a rename keeps.
    private static func positionID(_ relationship: Relationship, in schema: Schema) -> PropertyID? {
        relationship.orderedBy.flatMap { schema.entity(named: relationship.destination)?.attribute(named: $0)?.id }
    }
}
