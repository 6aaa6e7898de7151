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
            let spendings = try section.objects.map { try ShownSpending($0).titled(by: roster) }.filter {
                $0.concerns(member) && query.fitsTitle(of: $0)
            }
            guard let first = spendings.first else { return nil }
            let title = query.grouping == .date ? first.date : roster.name(of: first.person)
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
                || (\Spending.Fields.note).contains(text, options)
                || \Spending.Fields.source == ShownSpending.settled)
    }

    /// Looks for the text in what is not stored: the names of a settled payment's people.
    fileprivate func fitsTitle(of spending: ShownSpending) -> Bool {
        guard spending.isSettled, let text = search.map({ FoldedText($0) }), !text.text.isEmpty
        else { return true }
        return [spending.title, spending.category, spending.note].contains {
            $0.map { FoldedText($0).contains(text) } ?? false
        }
    }
}

extension ShownSpending {
    /// Whether the person paid it or took part in it; nobody asks about all.
    func concerns(_ member: Member?) -> Bool {
        guard let member, person != member.id else { return true }
        return (try? expense.get().split.people.contains(member.personID)) ?? false
    }
}
