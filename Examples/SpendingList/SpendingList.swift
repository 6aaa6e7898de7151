import Roost

/// A live list of spendings: a section for each person in the order of names, the rows by ascending amount.
///
/// It follows inserted, deleted and changed spendings, and records what changed.
final class SpendingList {
    /// The updates of the list since ``changes()`` was last called.
    private(set) var steps: [ResultsUpdate<ObjectID>] = []
    private let context: ObjectContext
    private let results: FetchedResultsController<Spending>

    /// Fetches the list.
    ///
    /// - Parameter filter: A predicate of the format language, such as
    ///   `amount > 20_00 AND content CONTAINS[cd] "creme"`; `nil` for all.
    init(in context: ObjectContext, filter: String? = nil) throws {
        self.context = context
        let request = FetchRequest<Spending>(
            where: try filter.map { try FetchPredicate(format: $0) },
            sortedBy: [.ascending(\.person.name, .localized), .ascending(\.amount)])
        results = try FetchedResultsController(request, in: context, sectionedBy: \.person.name)
        results.onUpdate = { [weak self] step in self?.steps.append(step) }
        try results.performFetch()
    }

    /// Returns the list as text: the title of each section, followed by its rows.
    func lines() throws -> [String] {
        let totals = try totals()
        return try results.snapshot.sections.enumerated().flatMap { number, section in
            let spendings = try results.objects(inSection: number, rows: section.rows.indices)
            return [title(section.name ?? "", totals)] + spendings.map { "  \(row($0))" }
        }
    }

    /// Returns the changes since the last call as text, one line each.
    func changes() throws -> [String] {
        defer { steps = [] }
        return try steps.flatMap(\.difference.changes).map { change in
            switch change {
            case .deleteSection(let name, let index): "- section \(index): \(name ?? "")"
            case .moveSection(let name, let from, let to): "> section \(from) to \(to): \(name ?? "")"
            case .insertSection(let name, let index): "+ section \(index): \(name ?? "")"
            case .deleteRow(_, let path): "- \(path)"
            case .moveRow(let id, let from, let to, _): "> \(from) to \(to): \(try row(id))"
            case .insertRow(let id, let path): "+ \(path): \(try row(id))"
            case .updateRow(let id, _, let to): "! \(to): \(try row(id))"
            }
        }
    }

    // MARK: Text

    private func title(_ name: String, _ totals: [String: [String]]) -> String {
        "\(name) (\(totals[name, default: []].joined(separator: ", ")))"
    }

    /// Computes the total of each person in each currency: one query for all sections.
    private func totals() throws -> [String: [String]] {
        let groups = try context.fetchGroups(
            results.request, by: \.person.name, \.currency, computing: .sum(\.amount))
        return groups.reduce(into: [:]) { totals, group in
            guard let name = group.values.0, let currency = group.values.1 else { return }
            totals[name, default: []].append(Amount.text(group.aggregates, currency))
        }
    }

    private func row(_ spending: Spending) -> String {
        "\(Amount.text(spending.amount, spending.currency))  \(spending.content)"
    }

    private func row(_ id: ObjectID) throws -> String {
        guard let spending = try context.object(with: id) as? Spending else { return "" }
        return row(spending)
    }
}
