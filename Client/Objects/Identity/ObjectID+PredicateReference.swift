public import Predicates

extension ObjectID: PredicateReference {
    /// The identifier of the record, without its store.
    public var predicateValue: PredicateValue { .identifier(record) }
}

extension ManagedObject: PredicateReference {
    /// The identifier of the object's record.
    public final var predicateValue: PredicateValue { objectID.predicateValue }
}
