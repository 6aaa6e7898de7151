package import RoostModel

/// A record that a predicate can be evaluated on: an object, or in tests whatever holds values.
package protocol PredicateSubject {
    var recordID: RecordID { get }

    /// The value of an attribute.
    func value(_ attribute: String) throws -> Value

    /// The record that a to-one relationship names; `nil` where it is nil, or names a record that is not there.
    func target(_ relationship: String) throws -> (any PredicateSubject)?

    /// The records of a to-many or many-to-many relationship, each once, in any order.
    func targets(_ relationship: String) throws -> [any PredicateSubject]
}
