internal import RoostModel

extension ResultsSnapshot {
    /// Returns the result after some records changed, without a fetch of the other records, and the difference from this
    /// snapshot.
    ///
    /// A record of `changed` may be new, present, deleted, or irrelevant to the result; the snapshot itself tells which. Records
    /// that are in the result before and after count as updated.
    ///
    /// The outcome equals the outcome of a full fetch under these conditions:
    ///
    /// - The order is the one of the request: total (the identifier decides last), and it keeps the rows of each section
    ///   together.
    /// - The rows that are not in `changed` still belong to the result and to their sections, and are in order. A record whose
    ///   section or position depends on another record is in `changed` when that other record changes.
    /// - The request has neither limit nor offset, because the snapshot cannot tell which row would enter at the end.
    ///
    /// With `k` changed records in `n` rows it calls the order O(k log n) times, compares identifiers in one pass over the rows,
    /// and copies the sections that change.
    ///
    /// - Parameters:
    ///   - changed: The changed records, with the sections that they belong to by their current values.
    ///   - areInIncreasingOrder: Whether the first record comes before the second by their current values. It is called only with
    ///     records of the new result.
    /// - Throws: Any error that `areInIncreasingOrder` throws.
    public func updated(
        with changed: [ID: ResultsPlacement], by areInIncreasingOrder: (ID, ID) throws -> Bool
    ) rethrows -> (snapshot: ResultsSnapshot, difference: ResultsDifference<ID>) {
        let known = indexPaths(of: Set(changed.keys))
        var sections = removing(known.values.sorted())
        var coming: [ExactText?: [ID]] = [:]
        for (id, placement) in changed {
            if case .present(let name) = placement { coming[name.map(ExactText.init), default: []].append(id) }
        }
        try Self.place(&coming, into: &sections, by: areInIncreasingOrder)
        try Self.create(coming, in: &sections, by: areInIncreasingOrder)
        let result = ResultsSnapshot(sections: sections, isGrouped: isGrouped)
        let updated = Set(known.keys.filter { changed[$0] != .absent })
        return (result, .between(self, result, updated: updated))
    }

    /// Returns the sections without the rows at ascending paths. Sections of groups that become empty are omitted.
    private func removing(_ paths: [ResultsIndexPath]) -> [ResultsSection<ID>] {
        guard !paths.isEmpty else { return sections }
        var sections = self.sections
        for (section, paths) in Dictionary(grouping: paths, by: \.section) {
            sections[section].rows =
                ListEdit.removing(paths.map(\.row), from: sections[section].rows) ?? sections[section].rows
        }
        return isGrouped ? sections.filter { !$0.rows.isEmpty } : sections
    }

    /// Inserts rows into the sections that exist, in order, and removes these rows from `coming`.
    private static func place(
        _ coming: inout [ExactText?: [ID]], into sections: inout [ResultsSection<ID>],
        by areInIncreasingOrder: (ID, ID) throws -> Bool
    ) rethrows {
        let names = SoughtElements(Set(coming.keys))
        for index in sections.indices {
            let name = sections[index].name.map(ExactText.init)
            guard names.contains(name), let rows = coming.removeValue(forKey: name) else { continue }
            sections[index].rows = try ListEdit.merging(
                rows.sorted(by: areInIncreasingOrder), into: sections[index].rows, by: areInIncreasingOrder)
        }
    }

    /// Makes sections of rows, and inserts each where its first row belongs.
    private static func create(
        _ coming: [ExactText?: [ID]], in sections: inout [ResultsSection<ID>],
        by areInIncreasingOrder: (ID, ID) throws -> Bool
    ) rethrows {
        func precedes(_ first: ResultsSection<ID>, _ second: ResultsSection<ID>) throws -> Bool {
            guard let row = first.rows.first, let other = second.rows.first else { return first.rows.isEmpty }
            return try areInIncreasingOrder(row, other)
        }
        let created = try coming.map { name, rows in
            ResultsSection(name: name?.text, rows: try rows.sorted(by: areInIncreasingOrder))
        }
        sections = try ListEdit.merging(created.sorted(by: precedes), into: sections, by: precedes)
    }
}
