/// The fields of an entity, as predicates and sort orders name them; `roost generate swift` writes one for each entity, as
/// ``TypedObject/Fields`` of its class.
///
///     struct SpendingFields: EntityFields {
///         let path: String
///         init(path: String) { self.path = path }
///         var amount: FieldPath<Int64> { attribute("amount") }
///         var person: PersonFields { toOne("person") }
///         var tags: ManyFields<TagFields> { toMany("tags") }
///     }
///
/// Then `\SpendingFields.person.name == "Jean-Pierre" && \.amount < 100_00` is a ``TypedPredicate``.
public protocol EntityFields: RelationshipPath, Sendable {
    /// The fields of the record that `path` leads to, from the one that is tested; empty for that one.
    init(path: String)

    /// Names with dots between them, from the record that is tested, such as `person`; empty for that record.
    var path: String { get }
}

extension EntityFields {
    /// An attribute of this entity.
    public func attribute<Value>(_ name: String) -> FieldPath<Value> { FieldPath(path: path(to: name)) }

    /// The fields of the record that a to-one relationship names.
    public func toOne<Fields: EntityFields>(_ name: String) -> Fields { Fields(path: path(to: name)) }

    /// The records of a to-many or many-to-many relationship.
    public func toMany<Element: EntityFields>(_ name: String) -> ManyFields<Element> {
        ManyFields(path: path(to: name))
    }

    private func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
