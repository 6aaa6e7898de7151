internal import RoostModel

/// A property that a record stores itself: an attribute or a to-one relationship. It is a column of the entity's table.
///
/// It is a class, so that passing it on costs one retain, and not one for each string in it.
final class StoredProperty: Sendable {
    enum Kind: Sendable {
        case attribute(Attribute)
        case reference(Reference)
    }

    /// The facts about a to-one relationship. It is a class, because each access to a column passes it on.
    final class Reference: Sendable {
        let relationship: Relationship
        let rule: ReferenceRules.Rule
        /// The relationship at the other end.
        let inverse: Relationship?
        let destination: EntityID
        /// Whether the reference must name an object when it is saved.
        let isRequired: Bool
        /// Whether the reference is masked (reads nil) while its target is not visible. Other references read as written.
        let isMaskable: Bool

        init(relationship: Relationship, rule: ReferenceRules.Rule, inverse: Relationship?) {
            self.relationship = relationship
            self.rule = rule
            self.inverse = inverse
            destination = rule.destination
            isRequired = !relationship.isOptional
            isMaskable = rule.isTree || rule.deleteRule == .nullify || rule.deleteRule == .deny
        }
    }

    /// The index of the property among the entity's columns, from 0.
    let index: Int
    let id: PropertyID
    let name: String
    let kind: Kind
    let quoted: String

    init(index: Int, id: PropertyID, name: String, kind: Kind) {
        self.index = index
        self.id = id
        self.name = name
        self.kind = kind
        quoted = "\"\(name)\""
    }

    var reference: Reference? { if case .reference(let reference) = kind { reference } else { nil } }
    var attribute: Attribute? { if case .attribute(let attribute) = kind { attribute } else { nil } }
    /// The type by which the column's values are read.
    var valueKind: Attribute.Kind { attribute?.kind ?? .uuid }
}
