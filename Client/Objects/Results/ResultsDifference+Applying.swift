internal import RoostModel

extension ResultsDifference {
    /// Returns the result after these changes: the difference `between(old, new)`, applied to `old`, gives `new`.
    ///
    /// The steps are listed under "Order of application". Each list is rebuilt once, however many changes it has.
    ///
    /// - Throws: ``ObjectError/Code/invalidRequest`` where the snapshot is detectably not the one that the changes were made for.
    public func applied(to snapshot: ResultsSnapshot<ID>) throws(ObjectError) -> ResultsSnapshot<ID> {
        var sections = snapshot.sections
        try takeOutRows(from: &sections)
        try rearrange(&sections)
        try putInRows(into: &sections)
        return ResultsSnapshot(sections: sections, isGrouped: snapshot.isGrouped)
    }

    private func takeOutRows(from sections: inout [ResultsSection<ID>]) throws(ObjectError) {
        let leaving = rowDeletes + rowMoves.map { RowChange(id: $0.id, path: $0.from) }
        for group in Self.bySection(leaving) {
            guard let section = group.first?.path.section, sections.indices.contains(section) else {
                throw Self.foreignSnapshot
            }
            let rows = sections[section].rows
            for change in group where !rows.indices.contains(change.path.row) || rows[change.path.row] != change.id {
                throw Self.foreignSnapshot
            }
            guard let left = ListEdit.removing(group.map(\.path.row), from: rows) else { throw Self.foreignSnapshot }
            sections[section].rows = left
        }
    }

    private func rearrange(_ sections: inout [ResultsSection<ID>]) throws(ObjectError) {
        for change in sectionDeletes {
            guard sections.indices.contains(change.index), sections[change.index].name.isSameText(as: change.name),
                sections[change.index].rows.isEmpty
            else { throw Self.foreignSnapshot }
        }
        var coming = sectionInserts.map { ($0.index, ResultsSection<ID>(name: $0.name, rows: [])) }
        for move in sectionMoves {
            guard sections.indices.contains(move.from), sections[move.from].name.isSameText(as: move.name) else {
                throw Self.foreignSnapshot
            }
            coming.append((move.to, sections[move.from]))
        }
        coming.sort { $0.0 < $1.0 }
        let leaving = (sectionDeletes.map(\.index) + sectionMoves.map(\.from)).sorted()
        guard let left = ListEdit.removing(leaving, from: sections), let all = ListEdit.inserting(coming, into: left)
        else { throw Self.foreignSnapshot }
        sections = all
    }

    private func putInRows(into sections: inout [ResultsSection<ID>]) throws(ObjectError) {
        let coming = rowInserts + rowMoves.map { RowChange(id: $0.id, path: $0.to) }
        for group in Self.bySection(coming) {
            guard let section = group.first?.path.section, sections.indices.contains(section),
                let rows = ListEdit.inserting(group.map { ($0.path.row, $0.id) }, into: sections[section].rows)
            else { throw Self.foreignSnapshot }
            sections[section].rows = rows
        }
    }

    /// Sorts rows by path, and groups them by section.
    private static func bySection(_ rows: [RowChange]) -> [ArraySlice<RowChange>] {
        let sorted = rows.sorted { $0.path < $1.path }
        var groups: [ArraySlice<RowChange>] = []
        var start = 0
        for index in sorted.indices
        where index + 1 == sorted.count
            || sorted[index + 1].path.section != sorted[index].path.section
        {
            groups.append(sorted[start...index])
            start = index + 1
        }
        return groups
    }

    private static var foreignSnapshot: ObjectError {
        ObjectError(
            .invalidRequest,
            "Cannot apply the changes: the snapshot is not the one that they were made for. Apply each difference once, to "
                + "the result before it, in the order in which they came.")
    }
}
