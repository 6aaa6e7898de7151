internal import RoostModel

/// A property that a record stores itself: an attribute or a to-one relationship. A column of the entity's table.
///
/// A class, so that handing it on costs one count and not one for each text in it.
final class StoredProperty: Sendable {
    enum Kind: Sendable {
        case attribute(Attribute)
        case reference(Reference)
    }

    /// What is known of a to-one relationship. A class too: each look at a column hands it on.
    final class Reference: Sendable {
        let relationship: Relationship
        let rule: ReferenceRules.Rule
        /// The relationship at the other end.
        let inverse: Relationship?
        let destination: EntityID
        /// Whether it must name an object when it is saved.
        let isRequired: Bool
        /// Whether it reads nil while what it names is not visible; else it reads as written.
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

    /// Its place among the entity's columns, from 0.
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
    /// How the column's values are read.
    var valueKind: Attribute.Kind { attribute?.kind ?? .data }
}
