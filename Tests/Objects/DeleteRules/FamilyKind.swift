/// The kinds of relationship between a parent and its child.
enum FamilyKind: String, CaseIterable {
    case toMany, oneToOne, ordered, selfReference, tree
    /// Many-to-many relationships owned by the parent's side, by the child's side, and within one entity.
    case manyToMany, manyToManyTarget, manyToManySelf

    /// Kinds with a reference in the child, and without a tree.
    static let references: [FamilyKind] = [.toMany, .oneToOne, .ordered, .selfReference]
    static let links: [FamilyKind] = [.manyToMany, .manyToManyTarget, .manyToManySelf]

    var isLinked: Bool { Self.links.contains(self) }
    private var isOfOneEntity: Bool { [.selfReference, .tree, .manyToManySelf].contains(self) }
    var parentEntity: String { isOfOneEntity ? "Node" : "Parent" }
    var childEntity: String { isOfOneEntity ? "Node" : "Child" }

    /// Returns a schema with `children` and its inverse `parent`.
    ///
    /// - Parameters:
    ///   - rule: The delete rule for a parent.
    ///   - childRule: The delete rule for a child.
    func schema(_ rule: String, childRule: String = "nullify") -> String {
        let more =
            switch self {
            case .oneToOne: #", "single": true"#
            case .ordered: #", "orderedBy": "place""#
            default: ""
            }
        let children = """
            {"id": 2, "name": "children", "kind": "\(isLinked ? "manyToMany" : "toMany")", "destination": "\(childEntity)",
             "inverse": "parent", "deleteRule": "\(rule)"\(more)}
            """
        let parent = """
            {"id": 3, "name": "parent", "kind": "\(isLinked ? "manyToMany" : "toOne")", "destination": "\(parentEntity)",
             "inverse": "children", "deleteRule": "\(childRule)"\(self == .tree ? #", "tree": true"# : "")}
            """
        let entities =
            isOfOneEntity
            ? [entity(1, "Node", [children, parent])]
            : [
                entity(self == .manyToManyTarget ? 3 : 1, "Parent", [children]), entity(2, "Child", [parent]),
            ]
        return #"{"format": 1, "name": "family", "version": 1, "entities": [\#(entities.joined(separator: ", "))]}"#
    }

    private func entity(_ id: Int, _ name: String, _ relationships: [String]) -> String {
        """
        {"id": \(id), "name": "\(name)", "attributes": [{"id": 1, "name": "name", "type": "string"},
          {"id": 4, "name": "place", "type": "string", "optional": true}],
         "relationships": [\(relationships.joined(separator: ", "))]}
        """
    }
}
