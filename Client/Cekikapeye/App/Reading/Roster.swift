package import CekikapeyeRules
package import RoostModel

/// What a group's spendings are shown with: its people, and what is not shown any more.
package struct Roster: Sendable {
    /// The group.
    package let group: GroupInfo
    /// The people, by name.
    package let members: [Member]
    /// The spendings not shown.
    package let hidden: [HiddenSpending]
    /// What can be brought back.
    package let deleted: [DeletedRecord]
    /// The spendings shown.
    let spendingIDs: [RecordID]
    private let names: [PersonID: String]

    init(
        group: GroupInfo, members: [Member], spendingIDs: [RecordID], hidden: [HiddenSpending],
        deleted: [DeletedRecord]
    ) {
        self.group = group
        self.members = members
        self.spendingIDs = spendingIDs
        self.hidden = hidden
        self.deleted = deleted
        var names: [PersonID: String] = [:]
        for record in deleted where record.isPerson {
            guard let id = try? PersonID(bytes: record.id.bytes) else { continue }
            names[id] = "(deleted) \(record.title)"
        }
        let alike = Dictionary(grouping: members) { ExactText($0.name) }.filter { $0.value.count > 1 }
        for member in members {
            names[member.personID] =
                alike[ExactText(member.name)] == nil ? member.name : "\(member.name) (\(member.shortID))"
        }
        self.names = names
    }

    /// The people who were deleted and can be brought back.
    var deletedPeople: [(id: RecordID, person: PersonID)] {
        deleted.filter(\.isPerson).compactMap { record in
            (try? PersonID(bytes: record.id.bytes)).map { (record.id, $0) }
        }
    }

    /// The name of a person who was deleted and can be brought back.
    package func deletedName(of id: RecordID) -> String? {
        deleted.first { $0.isPerson && $0.id == id }?.title
    }

    /// The people that new expenses are for.
    package var activeMembers: [Member] { members.filter(\.isActive) }

    /// What to call a person: the name, with the end of the identifier where several have it, or "(deleted)" and what is still known of
    /// someone who is not shown.
    package func name(of person: PersonID) -> String { names[person] ?? "(deleted) \(person.text.prefix(8))" }

    /// The people whose names differ in case and accents at most, by name: a typed name cannot tell them apart.
    package var namesakes: [[Member]] {
        Dictionary(grouping: members) { FoldedText($0.name) }.filter { $0.value.count > 1 }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// What to call the person a spending is listed under.
    package func name(of record: RecordID?) -> String {
        guard let id = record.flatMap({ try? PersonID(bytes: $0.bytes) }) else { return "(deleted)" }
        return name(of: id)
    }

    /// The person that a typed name means.
    package func member(named text: String) throws(BookError) -> Member { try NameMatcher(members).find(text) }

    /// The shortest ends of identifiers, of 6 digits or more, that tell all spendings apart.
    package var shortIDLength: Int {
        let texts = (spendingIDs + deleted.map(\.id)).map(\.description)
        for length in [6, 8, 12] where Set(texts.map { $0.suffix(length) }).count == texts.count { return length }
        return 36
    }
}
