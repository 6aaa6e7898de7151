internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Lists the spendings that a query asks for.
    ///
    /// - Throws: ``BookError`` where the query names nobody, or totals leave 64 bits; what ``contents()`` throws.
    package func list(_ query: SpendingQuery) throws -> SpendingList {
        let objects = objects()
        let roster = try roster(of: objects)
        let member = try query.person.map { try roster.member(named: $0) }
        let request = FetchRequest<Spending>(where: query.predicate, sortedBy: [.descending(\.date)])
        let found =
            switch query.grouping {
            case .person:
                try objects.fetchSections(
                    request, by: \.person, sortedBy: [.ascending(\.person.name, .localized)])
            case .date: try objects.fetchSections(request, by: \.date, sortedBy: [.descending(\.date)])
            }
        let sections = try found.compactMap { section -> SpendingSection? in
            let spendings = try section.objects.map { try ShownSpending($0) }.filter { $0.concerns(member) }
            guard let first = spendings.first else { return nil }
            let title = query.grouping == .date ? first.date : roster.distinctName(of: first.person)
            return try SpendingSection(title: title, spendings, query.order)
        }
        return SpendingList(roster: roster, sections: sections)
    }
}

extension SpendingQuery {
    /// What the stored values tell; who took part stands within a split.
    fileprivate var predicate: FetchPredicate? {
        guard let text = search.map({ FoldedText($0).text }), !text.isEmpty else { return nil }
        let options = TextOptions.loose.union(.widthInsensitive)
        return FetchPredicate(
            (\Spending.Fields.content).contains(text, options)
                || (\Spending.Fields.category).contains(text, options)
                || (\Spending.Fields.note).contains(text, options))
    }
}

extension ShownSpending {
    /// Whether the person paid it or took part in it; nobody asks about all.
    fileprivate func concerns(_ member: Member?) -> Bool {
        guard let member, person != member.id else { return true }
        return (try? expense.get().split.people.contains(member.personID)) ?? false
    }
}

extension Roster {
    /// The name of a person, with the end of the identifier where several have that name.
    fileprivate func distinctName(of person: RecordID?) -> String {
        let name = name(of: person)
        guard members.count(where: { $0.name == name }) > 1, let id = person else { return name }
        return "\(name) (\(id.description.suffix(6)))"
    }
}
