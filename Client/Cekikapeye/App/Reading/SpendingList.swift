internal import CekikapeyeRules
internal import RoostModel

/// Spendings in sections, as a query asks for them.
package struct SpendingList: Sendable {
    /// The sections: people by name, or days with the newest first; none is empty.
    package let sections: [SpendingSection]

    /// Lists the spendings that a query asks for.
    ///
    /// - Throws: ``BookError`` where the query names nobody, or totals leave 64 bits.
    package init(_ contents: BookContents, _ query: SpendingQuery) throws(BookError) {
        let shown = try Self.filter(contents, query)
        let groups = Dictionary(grouping: shown) { Self.sectionTitle($0, contents, query.grouping) }
        var sections: [SpendingSection] = []
        for (title, spendings) in groups {
            let ordered = spendings.sorted { Self.precedes($0, $1, query.order) }
            sections.append(SpendingSection(title: title, spendings: ordered, totals: try Self.totals(spendings)))
        }
        self.sections = sections.sorted { left, right in
            switch query.grouping {
            case .person: (FoldedText(left.title), left.title) < (FoldedText(right.title), right.title)
            case .date: left.title > right.title
            }
        }
    }

    private static func filter(_ contents: BookContents, _ query: SpendingQuery) throws(BookError) -> [Spending] {
        var spendings = contents.spendings
        if let text = query.search.map({ FoldedText($0) }), !text.text.isEmpty {
            spendings = spendings.filter { spending in
                [spending.title, spending.category, spending.note].contains {
                    $0.map { FoldedText($0).contains(text) } ?? false
                }
            }
        }
        if let name = query.person {
            let member = try contents.member(named: name)
            spendings = spendings.filter { spending in
                let people = (try? spending.expense.get().split.people) ?? []
                return spending.person == member.id || people.contains(member.personID)
            }
        }
        return spendings
    }

    private static func sectionTitle(
        _ spending: Spending, _ contents: BookContents, _ grouping: SpendingQuery.Grouping
    ) -> String {
        guard grouping == .person else { return spending.date }
        let name = contents.name(of: spending.person)
        guard contents.members.count(where: { $0.name == name }) > 1, let id = spending.person else { return name }
        return "\(name) (\(id.description.suffix(6)))"
    }

    private static func precedes(_ left: Spending, _ right: Spending, _ order: SpendingQuery.Order) -> Bool {
        let (leftSize, rightSize) = (size(left), size(right))
        switch order {
        case .amount where leftSize != rightSize: return leftSize > rightSize
        case .date where left.date != right.date: return left.date > right.date
        default: return (right.date, left.id) < (left.date, right.id)
        }
    }

    /// The amount with four decimals, the most any currency has: comparable without converting anything.
    private static func size(_ spending: Spending) -> Int128 {
        var size = Int128(spending.outlay)
        for _ in (spending.amount?.currency.exponent ?? 4)..<4 { size *= 10 }
        return size
    }

    private static func totals(_ spendings: [Spending]) throws(BookError) -> [Money] {
        var totals: [Currency: Money] = [:]
        for spending in spendings {
            guard spending.kind != nil, let currency = spending.amount?.currency else { continue }
            let before = totals[currency] ?? Money(minorUnits: 0, currency: currency)
            do { totals[currency] = try before.adding(Money(minorUnits: spending.outlay, currency: currency)) } catch {
                throw .money(error)
            }
        }
        return totals.values.sorted { $0.currency < $1.currency }
    }
}
