internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Lists the spendings that a query selects.
    ///
    /// - Throws: ``BookError`` if the query names an unknown person, or totals do not fit in 64 bits; the errors of
    ///   ``contents()``.
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
    /// The conditions on stored values. Participants are stored within a split, so they are filtered after the fetch.
    fileprivate var predicate: FetchPredicate? {
        guard let text = search.map({ FoldedText($0).text }), !text.isEmpty else { return nil }
        let options = TextOptions.loose.union(.widthInsensitive)
        return FetchPredicate(
            (\Spending.Fields.content).contains(text, options)
                || (\Spending.Fields.category).contains(text, options)
                || (\Spending.Fields.note).contains(text, options)
                || \Spending.Fields.source == ShownSpending.settled)
    }

    /// Returns whether the title, category or note of a settled payment contains the text. The displayed title consists of
    /// people's names and is not stored. Other spendings have matched already.
    fileprivate func fitsTitle(of spending: ShownSpending) -> Bool {
        guard spending.isSettled, let text = search.map({ FoldedText($0) }), !text.text.isEmpty
        else { return true }
        return [spending.title, spending.category, spending.note].contains {
            $0.map { FoldedText($0).contains(text) } ?? false
        }
    }
}

extension ShownSpending {
    /// Returns whether the person paid the spending or took part in it; `true` if no person is given.
    func concerns(_ member: Member?) -> Bool {
        guard let member, person != member.id else { return true }
        return (try? expense.get().split.people.contains(member.personID)) ?? false
    }
}
