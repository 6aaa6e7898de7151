internal import CekikapeyeRules
internal import RoostModel

/// Finds the people of a file in a group. Each column is mapped to a different person.
struct ImportedPeople {
    private let roster: Roster
    private let before: ImportedBefore

    init(_ roster: Roster, _ before: ImportedBefore) {
        self.roster = roster
        self.before = before
    }

    /// Maps a file's people to records, in the order of its header.
    ///
    /// The candidates for a column are tried in this order:
    /// 1. the only person with exactly the name in the file;
    /// 2. a person who was imported under the name before;
    /// 3. the only person whose name differs in case and accents alone;
    /// 4. a deleted person who was imported under the name;
    /// 5. the only person, or else the only deleted person, whose effects in the spendings of an earlier import are
    ///    those of the column (renamed or deleted since);
    /// 6. a new record, with an identifier that every device derives identically.
    func mappings(of people: [ImportedPerson]) -> [ImportPreview.Mapping] {
        var found: [Int: ImportPreview.Mapping] = [:]
        var taken: Set<RecordID> = []
        func take(_ column: Int, _ id: RecordID, _ state: ImportPreview.Mapping.State) {
            guard taken.insert(id).inserted else { return }
            found[column] = .init(nameInFile: people[column].name, id: id, state: state)
        }
        let identifiers = Self.identifiers(of: people)
        for column in people.indices {
            let same = roster.members.filter { ExactText($0.name) == ExactText(people[column].name) }
            if let only = same.first, same.count == 1 { take(column, only.id, .present) }
        }
        for column in people.indices where found[column] == nil {
            if roster.members.contains(where: { $0.id == identifiers[column] }) {
                take(column, identifiers[column], .present)
            }
        }
        let folded = people.map { FoldedText($0.name) }
        let open = people.indices.filter { found[$0] == nil }
        for column in open where open.count(where: { folded[$0] == folded[column] }) == 1 {
            let alike = roster.members.filter { FoldedText($0.name) == folded[column] && !taken.contains($0.id) }
            if let only = alike.first, alike.count == 1 { take(column, only.id, .present) }
        }
        for column in people.indices where found[column] == nil {
            if roster.deleted.contains(where: { $0.id == identifiers[column] }) {
                take(column, identifiers[column], .deleted)
                continue
            }
            let members = roster.members.map { (id: $0.id, person: $0.personID) }.filter { !taken.contains($0.id) }
            if let id = before.person(ofColumn: column, among: members) {
                take(column, id, .present)
                continue
            }
            let deleted = roster.deletedPeople.filter { !taken.contains($0.id) }
            if let id = before.person(ofColumn: column, among: deleted) { take(column, id, .deleted) }
        }
        for column in people.indices where found[column] == nil {
            let id = identifiers[column]
            take(column, id, .new)
        }
        return people.indices.compactMap { found[$0] }
    }

    /// Derives an identifier for each person from the name in lower case. For names that then coincide, all but the
    /// first are derived from the exact name. Earlier imports used these identifiers, so they must not change.
    private static func identifiers(of people: [ImportedPerson]) -> [RecordID] {
        var used: Set<RecordID> = []
        return people.map { person in
            let id = RecordID(derivedFrom: ["splitwise-person", person.name.lowercased()])
            guard !used.insert(id).inserted else { return id }
            let other = RecordID(derivedFrom: ["splitwise-person-exact", person.name])
            used.insert(other)
            return other
        }
    }
}
