internal import RoostModel

/// The result of a fetch request at one moment: sections in order, and in each the identifiers of its rows in order.
///
/// An identifier occurs once in a snapshot, and so does a section name. Neither is checked, because a check would cost more than
/// the difference of two snapshots.
///
/// Results with a section key path have one section for each run of rows, and none where there are no rows. The section of rows
/// without a value has no name. Results without a section key path have a single section without a name, which exists even when
/// it is empty.
public struct ResultsSnapshot<ID: Hashable & Sendable>: Sendable {
    /// The sections from top to bottom.
    public let sections: [ResultsSection<ID>]
    /// Whether the rows are grouped, so that an empty section is omitted.
    let isGrouped: Bool

    /// Makes a result of sections. No identifier and no name may occur twice.
    ///
    /// A single section without a name is taken for a result without a section key path.
    public init(sections: [ResultsSection<ID>]) {
        self.init(sections: sections, isGrouped: sections.count != 1 || sections[0].name != nil)
    }

    init(sections: [ResultsSection<ID>], isGrouped: Bool) {
        self.sections = sections
        self.isGrouped = isGrouped
    }

    /// Makes a result without a section key path: one section of rows, without a name. No identifier may occur twice.
    public init(rows: [ID]) {
        self.init(sections: [ResultsSection(name: nil, rows: rows)], isGrouped: false)
    }

    /// Groups rows, which come in the order of the fetch, into sections.
    ///
    /// The first sort descriptor must keep the rows of a section together. Where it treats two names as equal, as a
    /// case-insensitive comparison does, the name itself must be the next descriptor.
    ///
    /// - Parameter rows: Each row with the name of its section, or `nil` where it has no value; no identifier twice.
    /// - Throws: ``ObjectError/Code/invalidRequest`` where a section's name recurs after another section.
    public init(grouping rows: some Sequence<(row: ID, section: String?)>) throws(ObjectError) {
        var sections: [ResultsSection<ID>] = []
        var names: Set<ExactText?> = []
        var number = 0
        for (row, name) in rows {
            if sections.isEmpty || !sections[sections.count - 1].name.isSameText(as: name) {
                guard names.insert(name.map(ExactText.init)).inserted else { throw Self.scattered(at: number) }
                sections.append(ResultsSection(name: name, rows: []))
            }
            sections[sections.count - 1].rows.append(row)
            number += 1
        }
        self.init(sections: sections, isGrouped: true)
    }

    /// The number of rows in all sections.
    public var rowCount: Int { sections.reduce(0) { $0 + $1.rows.count } }

    /// Returns the row at a path; `nil` where there is none.
    public func row(at path: ResultsIndexPath) -> ID? {
        guard sections.indices.contains(path.section) else { return nil }
        let rows = sections[path.section].rows
        return rows.indices.contains(path.row) ? rows[path.row] : nil
    }

    /// Returns the location of a row; `nil` where it is not in the result. The search is linear.
    public func indexPath(of id: ID) -> ResultsIndexPath? {
        for (number, section) in sections.enumerated() {
            if let row = section.rows.firstIndex(of: id) { return ResultsIndexPath(section: number, row: row) }
        }
        return nil
    }

    /// Returns the locations of rows, found in one pass over all rows. Rows that are not in the result are left out.
    public func indexPaths(of ids: Set<ID>) -> [ID: ResultsIndexPath] {
        var paths: [ID: ResultsIndexPath] = [:]
        guard !ids.isEmpty else { return paths }
        let sought = SoughtElements(ids)
        for (number, section) in sections.enumerated() {
            for (row, id) in section.rows.enumerated() where sought.contains(id) {
                paths[id] = ResultsIndexPath(section: number, row: row)
                if paths.count == ids.count { return paths }
            }
        }
        return paths
    }

    private static func scattered(at row: Int) -> ObjectError {
        ObjectError(
            .invalidRequest,
            "Cannot group the rows into sections: row \(row) (from 0) has the section name of earlier rows, but another "
                + "section stands between. Make the section key path the first sort descriptor.")
    }
}

extension ResultsSnapshot: Hashable {
    /// Compares sections.
    public static func == (left: ResultsSnapshot, right: ResultsSnapshot) -> Bool { left.sections == right.sections }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sections)
    }
}
