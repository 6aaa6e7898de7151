import Roost

extension Course {
    // MARK: Sort

    func sort() throws {
        heading("Sort")
        var request = FetchRequest<Spending>()
        request.sortDescriptors = [.ascending(\.person.name, .localized), .descending(\.amount)]
        for spending in try context.fetch(request) { show("\(spending.person?.name ?? ""): \(spending.line)") }
    }

    // MARK: Pages

    func pages() throws {
        heading("Pages")
        var request = FetchRequest<Spending>(sortedBy: [.ascending(\.amount)], limit: 2)
        show("first page: \(try context.fetch(request).map(\.content).joined(separator: ", "))")
        request.offset = 2
        show("second page: \(try context.fetch(request).map(\.content).joined(separator: ", "))")
        request.limit = nil
        request.batchSize = 2
        show("last of a long list: \(try context.fetchInBatches(request).last?.content ?? "")")
    }

    // MARK: Typed predicates

    func typedPredicates() throws {
        heading("Typed predicates")
        var request = FetchRequest<Spending>(sortedBy: [.ascending(\.amount)])
        request.predicate = \.amount < 10_00
        show("amount < 10_00: \(try contents(request))")
        request.predicate = \.person.name == "Ana" && \.amount > 20_00
        show("of Ana, and above 20: \(try contents(request))")
        request.predicate = (\Spending.Fields.content).contains("creme", .loose)
        show("contains \"creme\": \(try contents(request))")
        request.predicate = (\Spending.Fields.amount).isBetween(5_00, 13_00) && !(\.content == "Taxi")
        show("from 5 to 13, but no taxi: \(try contents(request))")
    }

    // MARK: A filter, step by step

    func aFilterStepByStep() throws {
        heading("A filter, step by step")
        // The choices of a user; nil where nothing was chosen.
        let (payer, words, limit): (Person?, String?, Int?) = (try person("Ana"), nil, 20_00)
        var filter: TypedPredicate<Spending.Fields> = .all
        if let payer { filter = filter && \.person == payer }
        if let words { filter = filter && (\Spending.Fields.content).contains(words, .loose) }
        if let limit { filter = filter && \.amount <= limit }
        show("\(try contents(FetchRequest(where: filter, sortedBy: [.ascending(\.amount)])))")
    }

    // MARK: Predicates as text

    func predicatesAsText() throws {
        heading("Predicates as text")
        let text = try FetchPredicate(format: "person.name BEGINSWITH[cd] %@ AND amount < %d", "elo", 10_00)
        show("\(text): \(try contents(FetchRequest(where: text)))")
        do {
            _ = try FetchPredicate(format: "content CONTAINZ 'a'")
        } catch {
            show(error)
        }
    }

    // MARK: Predicates over relationships

    func predicatesOverRelationships() throws {
        heading("Predicates over relationships")
        let byName = [TypedSortDescriptor<Person.Fields>.ascending(\.name, .localized)]
        let dear = FetchRequest<Person>(where: (\Person.Fields.spendings).any(\.amount > 20_00), sortedBy: byName)
        show("any spending above 20: \(try context.fetch(dear).map(\.name).joined(separator: ", "))")
        let often = FetchRequest<Person>(where: (\Person.Fields.spendings).count() > 2, sortedBy: byName)
        show("more than 2 spendings: \(try context.fetch(often).map(\.name).joined(separator: ", "))")
        let lisbon = FetchRequest<Spending>(
            where: (\Spending.Fields.tags).any(\.name == "Lisbon"), sortedBy: [.ascending(\.content)])
        show("tagged Lisbon: \(try contents(lisbon))")
    }

    // MARK: Sums

    func sums() throws {
        heading("Sums")
        let all = FetchRequest<Spending>()
        let (sum, average) = try context.fetchAggregates(all, .sum(\.amount), .average(\.amount))
        show("sum \(sum), average \(average ?? 0)")
        let totals = try context.fetchGroups(all, by: \.person.name, computing: .sum(\.amount), .count())
        for (name, (total, count)) in totals { show("\(name ?? ""): \(total) in \(count)") }
        let currencies = try context.fetchValues(all, \.currency, isDistinct: true)
        show("currencies: \(currencies.compactMap { $0 }.joined(separator: ", "))")
    }

    private func contents(_ request: FetchRequest<Spending>) throws -> String {
        try context.fetch(request).map(\.content).joined(separator: ", ")
    }
}
