/// The parts of a schema file that do not have the right form.
///
/// The rules of a schema are checked for the other parts, so that all problems of a file are reported at once. A problem that only
/// follows from an unread part is not reported.
struct UnreadParts {
    /// The first character of a name that stands for one that could not be read. No name of a file contains it.
    static let mark = "\u{1}"

    /// The entity and the property of each problem of form.
    private let places: Set<[String]>
    /// The entities of which not every property could be read; "" where not every entity could be read.
    private let holes: Set<String>

    init(_ problems: [SchemaProblem] = [], holes: Set<String> = []) {
        places = Set(
            problems.compactMap { problem in
                problem.entity.flatMap { entity in problem.property.map { [entity, $0] } }
            })
        self.holes = holes
    }

    /// Whether entities may be missing that the file declares.
    var hasOpenFile: Bool { holes.contains("") }

    /// Whether the rules of a relationship depend on an unread part.
    func concern(_ relationship: Relationship, of entity: Entity, in schema: Schema) -> Bool {
        if places.contains([entity.name, relationship.name]) { return true }
        guard let destination = schema.entity(named: relationship.destination) else { return hasOpenFile }
        if places.contains([destination.name, relationship.inverse]) { return true }
        if destination.relationship(named: relationship.inverse) == nil { return holes.contains(destination.name) }
        guard let order = relationship.orderedBy else { return false }
        return places.contains([destination.name, order])
            || destination.attribute(named: order) == nil && holes.contains(destination.name)
    }

    /// Returns the problems that do not mention a name which could not be read.
    static func withoutMarks(_ problems: [SchemaProblem]) -> [SchemaProblem] {
        problems.filter { problem in
            let texts = [problem.entity ?? "", problem.property ?? "", problem.reason, problem.cure]
            return !texts.contains { $0.utf8.contains(1) }
        }
    }
}
