import Roost

extension Course {
    /// The request of the lists: by person, then by amount.
    private var listed: FetchRequest<Spending> {
        FetchRequest(sortedBy: [.ascending(\.person.name, .localized), .ascending(\.amount)])
    }

    // MARK: Sections with totals

    func sectionsWithTotals() throws {
        heading("Sections with totals")
        let list = try FetchedResultsController(listed, in: context, sectionedBy: \.person.name)
        try list.performFetch()
        for (number, section) in list.sections.enumerated() {
            let rows = try list.objects(inSection: number, rows: 0..<section.rowCount)
            show("\(section.name ?? "") (\(Spending.price(rows.map(\.amount).reduce(0, +), "EUR")))")
            for spending in rows { show("  \(spending.line)") }
        }
    }

    // MARK: Delete a row

    func deleteARow() throws {
        heading("Delete a row")
        let list = try FetchedResultsController(listed, in: context, sectionedBy: \.person.name)
        try list.performFetch()
        guard let tea = try list.object(at: ResultsIndexPath(section: 0, row: 0)) else { return }
        try context.delete(tea)
        try context.save("delete \(tea.content)")
        show("Ana has \(list.sections[0].rowCount) rows")
    }

    // MARK: A live list

    func aLiveList() async throws {
        heading("A live list")
        let list = try FetchedResultsController(listed, in: context, sectionedBy: \.person.name)
        list.onUpdate = { update in
            let origins = update.origins.map { "\($0)" }.joined(separator: ", ")
            for change in update.difference.changes { self.show("\(change.shown), by \(origins)") }
        }
        try list.performFetch()
        let fuel = try context.insert(Spending.self)
        (fuel.content, fuel.amount, fuel.person) = ("Fuel", 1_00, try person("Zoé"))
        try context.save("add Fuel")
        fuel.amount = 51_00
        try context.save("correct Fuel")

        // Another context deletes it. The list follows.
        let id = fuel.objectID
        let updates = try list.updates()
        try await container.performBackgroundTask { context in
            guard let fuel = try context.object(with: id) else { return }
            try context.delete(fuel)
            try context.save("delete Fuel")
        }
        for try await _ in updates { break }
    }
}

extension ResultsChange {
    /// The change of a table, as text.
    fileprivate var shown: String {
        switch self {
        case .deleteSection(_, let index): "delete section \(index)"
        case .moveSection(_, let from, let to): "move section \(from) to \(to)"
        case .insertSection(_, let index): "insert section \(index)"
        case .deleteRow(_, let path): "delete \(path)"
        case .moveRow(_, let from, let to, _): "move \(from) to \(to)"
        case .insertRow(_, let path): "insert \(path)"
        case .updateRow(_, _, let path): "update \(path)"
        }
    }
}
