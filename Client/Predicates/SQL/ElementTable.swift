internal import RoostModel

/// One table of the path to the elements of a collection, with the condition that joins it to the previous table.
struct ElementTable {
    var table: String
    var condition: String

    /// The tables of one relationship step; the last one is named `alias`.
    ///
    /// - Parameters:
    ///   - owner: The identifier of the record where the step starts, as SQL.
    ///   - ownerAlias: The table of that record, which has the reference of a to-one step.
    static func of(
        _ step: PathResolver.Step, alias: String, owner: String, ownerAlias: String, schema: Schema
    ) -> [ElementTable] {
        let relationship = step.relationship
        let destination = "\(step.destination.tableName) AS \(alias)"
        if !step.isToMany {
            let reference = "\(ownerAlias).\"\(relationship.name)\""
            let target = step.targetID(of: owner, reference: reference, schema: schema)
            return [ElementTable(table: destination, condition: "\(alias).id = \(target)")]
        }
        switch relationship.kind {
        case .toOne, .toMany:
            return [ElementTable(table: destination, condition: "\(alias).\"\(relationship.inverse)\" = \(owner)")]
        case .manyToMany:
            let isOwner = schema.ownsLink(step.owner, relationship)
            let name = isOwner ? (step.owner, relationship.name) : (step.destination, relationship.inverse)
            let link = "\"\(name.0.name.lowercased())_\(name.1.lowercased())\" AS \(alias)_link"
            let (near, far) = isOwner ? ("source", "target") : ("target", "source")
            return [
                ElementTable(table: link, condition: "\(alias)_link.\(near) = \(owner)"),
                ElementTable(table: destination, condition: "\(alias).id = \(alias)_link.\(far)"),
            ]
        }
    }
}
