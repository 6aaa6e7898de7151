package import CekikapeyeRules
package import RoostModel

/// A group and its people, with the hidden and deleted records. It provides the names with which spendings are displayed.
package struct Roster: Sendable {
    /// The group.
    package let group: GroupInfo
    /// The people, by name.
    package let members: [Member]
    /// The hidden spendings.
    package let hidden: [HiddenSpending]
    /// The records that can be undeleted.
    package let deleted: [DeletedRecord]
    /// The identifiers of the visible spendings.
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

    /// The deleted people, who can be undeleted.
    var deletedPeople: [(id: RecordID, person: PersonID)] {
        deleted.filter(\.isPerson).compactMap { record in
            (try? PersonID(bytes: record.id.bytes)).map { (record.id, $0) }
        }
    }

    /// Returns the name of a deleted person; `nil` for anyone else.
    package func deletedName(of id: RecordID) -> String? {
        deleted.first { $0.isPerson && $0.id == id }?.title
    }

    /// The people who take part in new expenses by default.
    package var activeMembers: [Member] { members.filter(\.isActive) }

    /// Returns the displayed name of a person. If several people have the name, the end of the identifier follows it.
    /// The name of a person who is not shown begins with "(deleted)".
    package func name(of person: PersonID) -> String { names[person] ?? "(deleted) \(person.text.prefix(8))" }

    /// The groups of people whose names differ in case and accents at most, in the order of the names. A typed name
    /// cannot distinguish them.
    package var namesakes: [[Member]] {
        Dictionary(grouping: members) { FoldedText($0.name) }.filter { $0.value.count > 1 }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the displayed name of the person under whom a spending is listed.
    package func name(of record: RecordID?) -> String {
        guard let id = record.flatMap({ try? PersonID(bytes: $0.bytes) }) else { return "(deleted)" }
        return name(of: id)
    }

    /// Finds the person to whom a typed name refers.
    package func member(named text: String) throws(BookError) -> Member { try NameMatcher(members).find(text) }

    /// The length of the shortest ends of identifiers, of 6 digits or more, that distinguish all spendings and deleted records.
    package var shortIDLength: Int {
        let texts = (spendingIDs + deleted.map(\.id)).map(\.description)
        for length in [6, 8, 12] where Set(texts.map { $0.suffix(length) }).count == texts.count { return length }
        return 36
    }
}
