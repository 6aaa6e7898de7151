package import CekikapeyeRules
internal import RoostModel

/// A book as it stands in one replica at one moment.
package struct BookContents: Sendable {
    /// What the spendings are shown with.
    package let roster: Roster
    /// The spendings shown, by date, then identifier.
    package let spendings: [ShownSpending]

    /// The group.
    package var group: GroupInfo { roster.group }
    /// The people, by name.
    package var members: [Member] { roster.members }
    /// The spendings not shown.
    package var hidden: [HiddenSpending] { roster.hidden }
    /// What can be brought back.
    package var deleted: [DeletedRecord] { roster.deleted }

    /// What to call a person: the name, or "(deleted)" and what is still known of someone who is not shown.
    package func name(of person: PersonID) -> String { roster.name(of: person) }

    /// The spendings that a person paid or took part in.
    package func spendings(of member: Member) -> [ShownSpending] { spendings.filter { $0.concerns(member) } }

    /// The person that a typed name means.
    package func member(named text: String) throws(BookError) -> Member { try roster.member(named: text) }

    /// The spending that a typed identifier means: the whole, its end, or its beginning.
    package func spending(identifiedBy text: String) throws(BookError) -> ShownSpending {
        let id = try RecordMatcher(spendings.map { ($0.id, $0.title) }).find(text)
        guard let spending = spendings.first(where: { $0.id == id }) else { throw .unknownRecord(text) }
        return spending
    }
}
