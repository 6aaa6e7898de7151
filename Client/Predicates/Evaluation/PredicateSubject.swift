package import RoostModel

/// A record on which a predicate is evaluated in memory.
package protocol PredicateSubject {
    var recordID: RecordID { get }

    /// The value of an attribute.
    func value(_ attribute: String) throws -> Value

    /// The target of a to-one relationship; `nil` for a nil reference and for a missing record.
    func target(_ relationship: String) throws -> (any PredicateSubject)?

    /// The records of a to-many or many-to-many relationship, each once, in any order.
    func targets(_ relationship: String) throws -> [any PredicateSubject]
}
