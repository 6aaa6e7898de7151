package import Replica
package import RoostModel

extension ReplicaCheck {
    /// Returns the check as a JSON object, for programs.
    ///
    /// - Parameter record: Returns a record as a JSON object.
    package func json(_ record: (RecordKey) -> JSONValue) -> JSONValue {
        .members(
            ("sound", .boolean(isSound)), ("faults", .array(faults.map { .string($0) })),
            ("waiting", .integer(waiting)), ("waitingFault", waitingFault.map { .string($0) }),
            ("comparable", .boolean(isComparable)), ("compared", .integer(compared)),
            ("irregular", .integer(irregular)), ("irregularRecords", .array(irregularRecords.map(record))),
            ("damaged", .array(damaged.map(record))), ("bookkeepingDamaged", .boolean(isBookkeepingDamaged)),
            ("dangling", .array(dangling.map(\.json))), ("unreadable", unreadable.map { .string($0) }))
    }
}

extension ReplicaCheck.DanglingReferences {
    fileprivate var json: JSONValue {
        .members(
            ("table", .string(table)), ("refersTo", .string(destination)), ("count", .integer(count)))
    }
}
