package import CekikapeyeRules
internal import RoostModel

/// The contents of a book in one replica at one time.
package struct BookContents: Sendable {
    /// The group and its people, with the hidden and deleted records.
    package let roster: Roster
    /// The visible spendings, by date, then identifier.
    package let spendings: [ShownSpending]

    /// The group.
    package var group: GroupInfo { roster.group }
    /// The people, by name.
    package var members: [Member] { roster.members }
    /// The hidden spendings.
    package var hidden: [HiddenSpending] { roster.hidden }
    /// The records that can be undeleted.
    package var deleted: [DeletedRecord] { roster.deleted }

    /// Returns the displayed name of a person. The name of a person who is not shown begins with "(deleted)".
    package func name(of person: PersonID) -> String { roster.name(of: person) }

    /// Returns the spendings that a person paid or took part in.
    package func spendings(of member: Member) -> [ShownSpending] { spendings.filter { $0.concerns(member) } }

    /// Finds the person to whom a typed name refers.
    package func member(named text: String) throws(BookError) -> Member { try roster.member(named: text) }

    /// Finds the spending to which a typed identifier refers: the complete one, its end, or its beginning.
    package func spending(identifiedBy text: String) throws(BookError) -> ShownSpending {
        let id = try RecordMatcher(spendings.map { ($0.id, $0.title) }).find(text)
        guard let spending = spendings.first(where: { $0.id == id }) else { throw .unknownRecord(text) }
        return spending
    }
}
