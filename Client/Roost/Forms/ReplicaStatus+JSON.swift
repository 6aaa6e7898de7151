package import Replica
package import RoostModel

extension ReplicaStatus {
    /// Returns the status as members of a JSON object, for programs.
    ///
    /// - Parameters:
    ///   - membership: The scope that the replica belongs to.
    ///   - holder: The process that synchronises the replica.
    package func members(_ membership: Membership?, holder: Int32?) -> [JSONValue.Member] {
        let scope = JSONValue.members(
            ("scope", membership.map { .string($0.scope.description) }),
            ("scopeName", membership.map { .string($0.scopeName) }), ("server", membership.map { .string($0.server) }),
            ("replica", membership.map { .string($0.replica.description) }),
            ("role", membership.map { .string($0.role.rawValue) }),
            ("device", membership.map { .string($0.deviceName) }),
            ("hasCredentials", membership.map { .boolean($0.hasCredentials) }))
        let synchronisation = JSONValue.members(
            ("waiting", .integer(waiting)), ("waitingSince", waitingSince.map { .integer($0) }),
            ("lastContact", lastContact.map { .integer($0) }), ("failure", failure.map { .string($0) }),
            ("failingSince", failingSince.map { .integer($0) }), ("nextAttempt", nextAttempt.map { .integer($0) }),
            ("syncProcess", holder.map { .integer($0) }))
        let file = JSONValue.members(
            ("digest", .string(digest.description)), ("identifiers", .string(identifiers.rawValue)),
            ("schemaVersion", .integer(schemaVersion)), ("nextSchemaVersion", nextSchemaVersion.map { .integer($0) }),
            ("pullingAnew", pullingAnew.map { .string($0.rawValue) }), ("missing", .integer(missing)),
            ("isLogOff", .boolean(isLogOff)), ("names", .integer(names)), ("damaged", .integer(damaged)),
            ("toBringBack", .integer(toBringBack)))
        let journal = JSONValue.members(
            ("journalDays", .integer(journalDays)), ("journalRemoved", .integer(journalRemoved)),
            ("lost", .integer(lost)), ("beaten", .integer(beaten)), ("refused", .integer(refused)),
            ("hidden", .integer(hidden)), ("kept", .integer(kept)), ("unfit", .integer(unfit)))
        return [scope, synchronisation, file, journal].flatMap { $0.members ?? [] }
    }
}
