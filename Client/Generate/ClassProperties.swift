/// The properties of one entity with their names and types in Swift.
struct ClassProperties {
    /// The properties by ascending number.
    let all: [ClassProperty]

    init(_ entity: Entity, _ schema: Schema, _ names: SwiftNames) {
        let relationships = entity.relationships.sorted { $0.id < $1.id }
        let several = relationships.filter { $0.kind != .toOne && !$0.isSingle }
        let ids = (entity.attributes.map { ($0.id, $0.name) } + relationships.map { ($0.id, $0.name) }).sorted {
            $0.0 < $1.0
        }
        let own = names.properties(ids.map(\.1))
        let nameOf = Dictionary(uniqueKeysWithValues: zip(ids.map(\.0), own))
        let nouns = several.compactMap { nameOf[$0.id] }
        let adds = names.methods("addTo", nouns, besides: own)
        let removes = names.methods("removeFrom", nouns, besides: own)
        let ordered = several.filter { $0.orderedBy != nil }
        let orderedNouns = ordered.compactMap { nameOf[$0.id] }
        let orders = zip(
            names.methods("insertInto", orderedNouns, besides: own), names.methods("moveIn", orderedNouns, besides: own)
        )
        let orderOf = Dictionary(uniqueKeysWithValues: zip(ordered.map(\.id), orders))
        let methods = Dictionary(
            uniqueKeysWithValues: zip(several.map(\.id), zip(adds, removes)).map { id, names in
                (id, ClassMethods(add: names.0, remove: names.1, order: orderOf[id]))
            })
        let rules = ReferenceRules(schema)

        let attributes = entity.attributes.map { attribute in
            ClassProperty(
                id: attribute.id, schemaName: attribute.name, name: nameOf[attribute.id] ?? attribute.name,
                form: .attribute(attribute),
                baseType: ClassProperty.type(attribute.kind))
        }
        let ends = relationships.map { relationship in
            let other = schema.entity(named: relationship.destination)
            let inverse = other?.relationship(named: relationship.inverse)
            let form: ClassProperty.Form =
                methods[relationship.id].map { .several(relationship, inverse: inverse, $0) }
                ?? (relationship.isSingle
                    ? .single(relationship, inverse: inverse)
                    : .toOne(relationship, rules.rule(entity.id, relationship.id), inverse: inverse))
            return ClassProperty(
                id: relationship.id, schemaName: relationship.name, name: nameOf[relationship.id] ?? relationship.name,
                form: form,
                baseType: other.map { names.type($0) } ?? "ManagedObject")
        }
        all = (attributes + ends).sorted { $0.id < $1.id }
    }
}
