/// The fields of an entity, for predicates and sort orders. `roost generate swift` writes one type for each entity, as
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
/// Then `\SpendingFields.person.name == "Jean-Pierre" && \.amount < 100_00` is a ``TypedPredicate``. A key path with another name is
/// an error at that name.
@dynamicMemberLookup
public protocol EntityFields: RelationshipPath, ConditionPath, Sendable
where Operand == any PredicateReference, Mismatch == MismatchedRecord {
    /// Makes the fields of the record at `path`, which starts at the tested record; empty for the tested record itself.
    init(path: String)

    /// Names with dots between them, from the tested record, such as `person`; empty for the tested record itself.
    var path: String { get }
}

extension EntityFields {
    /// The value of a reference to the record.
    public static func predicateValue(of operand: any PredicateReference) -> PredicateValue { operand.predicateValue }

    /// Reports a name that no property has. Its argument makes it an error to use it.
    @_documentation(visibility: internal)
    public subscript(dynamicMember name: UnknownName) -> UnknownProperty { UnknownProperty(path: path) }

    /// An attribute of this entity.
    public func attribute<Value>(_ name: String) -> FieldPath<Value> { FieldPath(path: path(to: name)) }

    /// The fields of a to-one relationship's target.
    public func toOne<Fields: EntityFields>(_ name: String) -> Fields { Fields(path: path(to: name)) }

    /// The records of a to-many or many-to-many relationship.
    public func toMany<Element: EntityFields>(_ name: String) -> ManyFields<Element> {
        ManyFields(path: path(to: name))
    }

    private func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
