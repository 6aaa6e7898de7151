/// The keys of a relationship that say how the object layer shows a to-many end. What is stored does not depend on them.
enum SchemaEnds {
    /// What is wrong with them, each with its cure.
    static func errors(of relationship: Relationship) -> [(reason: String, cure: String)] {
        guard relationship.isSingle else { return [] }
        switch relationship.kind {
        case .toMany: return []
        case .toOne:
            return [
                (
                    "\"single\" is on the side that stores the reference, which names one in any case",
                    "Declare it on \"\(relationship.destination).\(relationship.inverse)\""
                )
            ]
        case .manyToMany:
            return [
                (
                    "a manyToMany relationship cannot be single",
                    "Make the side that is to be stored toOne, and the other toMany with \"single\": true"
                )
            ]
        }
    }

    /// What devices that still have version `version` make of a relationship whose keys change.
    static func warnings(was: Relationship, now: Relationship, version: Int) -> [(reason: String, cure: String)] {
        guard was.isSingle != now.isSingle else { return [] }
        guard now.isSingle else {
            return [
                (
                    "it is no longer single; a device with version \(version) shows one of several, and takes the reference "
                        + "away from the others when it sets one",
                    "Let devices update before several matter"
                )
            ]
        }
        return [
            (
                "it becomes single; a device with version \(version) shows and adds several, of which the one with the greatest "
                    + "identifier shows here",
                "Let devices update soon after"
            )
        ]
    }
}
