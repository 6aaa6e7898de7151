internal import RoostModel

/// What changed between two results of one fetch request: sections and rows that came, left, moved or changed.
///
/// Deletes and the `from` of moves and updates count in the old result; inserts and each `to` count in the new one.
/// This is how the batch updates of table views count.
///
/// ## Order of application
///
/// A list that holds the old result becomes the new one by these steps, in this order:
///
/// 1. Take out the rows of ``rowDeletes`` and the rows of ``rowMoves`` at `from`, the last path first.
/// 2. Take out the sections of ``sectionDeletes``, which are empty by now, and the sections of ``sectionMoves`` at
///    `from` with the rows left in them, the last index first.
/// 3. Put in the sections of ``sectionInserts``, empty, and the moved ones at `to`, the first index first.
/// 4. Put in the rows of ``rowInserts`` and the moved ones at `to`, the first path first.
/// 5. Show the rows of ``rowUpdates`` at `to`, and those of ``rowMoves`` with `isUpdated`, anew.
///
/// Each number is right at the moment of its step. ``applied(to:)`` does these steps.
///
/// ## What is reported
///
/// - A row is reported at most once: as deleted, inserted, moved or updated. A row of a section that came or left is
///   reported like any other.
/// - A row that goes to a section with another name is moved. Of the rows that stay in their section, and of the
///   sections that stay, as few are moved as possible. Where there is a choice, the updated rows are moved: of two
///   neighbours that change places, the one whose content changed.
/// - A section that only changes its place among the others is moved, not deleted and inserted, so that its rows go with
///   it and are not reported. A section whose name changes is deleted and inserted, and its rows move.
public struct ResultsDifference<ID: Hashable & Sendable>: Hashable, Sendable {
    /// A section that came or left.
    public struct SectionChange: Hashable, Sendable {
        /// The section's name.
        public let name: String?
        /// The section's number, old for a delete and new for an insert.
        public let index: Int

        /// Names are equal where their bytes are.
        public static func == (left: SectionChange, right: SectionChange) -> Bool {
            left.name.isSameText(as: right.name) && left.index == right.index
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name.map(ExactText.init))
            hasher.combine(index)
        }
    }

    /// A section that has another place among those that stay.
    public struct SectionMove: Hashable, Sendable {
        /// The section's name.
        public let name: String?
        /// The section's number in the old result.
        public let from: Int
        /// The section's number in the new result.
        public let to: Int

        /// Names are equal where their bytes are.
        public static func == (left: SectionMove, right: SectionMove) -> Bool {
            left.name.isSameText(as: right.name) && left.from == right.from && left.to == right.to
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name.map(ExactText.init))
            hasher.combine(from)
            hasher.combine(to)
        }
    }

    /// A row that came or left.
    public struct RowChange: Hashable, Sendable {
        /// The row's identifier.
        public let id: ID
        /// The row's path, old for a delete and new for an insert.
        public let path: ResultsIndexPath
    }

    /// A row that has another section, or another place among those that stay in its section.
    public struct RowMove: Hashable, Sendable {
        /// The row's identifier.
        public let id: ID
        /// The row's path in the old result.
        public let from: ResultsIndexPath
        /// The row's path in the new result.
        public let to: ResultsIndexPath
        /// Whether the row's content changed as well.
        public let isUpdated: Bool
    }

    /// A row whose content changed and that did not move.
    public struct RowUpdate: Hashable, Sendable {
        /// The row's identifier.
        public let id: ID
        /// The row's path in the old result.
        public let from: ResultsIndexPath
        /// The row's path in the new result.
        public let to: ResultsIndexPath
    }

    /// The sections that left, the last first.
    public internal(set) var sectionDeletes: [SectionChange] = []
    /// The sections that moved, by their new index.
    public internal(set) var sectionMoves: [SectionMove] = []
    /// The sections that came, the first first.
    public internal(set) var sectionInserts: [SectionChange] = []
    /// The rows that left, the last first.
    public internal(set) var rowDeletes: [RowChange] = []
    /// The rows that moved, by their new path.
    public internal(set) var rowMoves: [RowMove] = []
    /// The rows that came, the first first.
    public internal(set) var rowInserts: [RowChange] = []
    /// The rows whose content changed where they stand, by their new path.
    public internal(set) var rowUpdates: [RowUpdate] = []

    /// No change.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool {
        sectionDeletes.isEmpty && sectionMoves.isEmpty && sectionInserts.isEmpty && rowDeletes.isEmpty
            && rowMoves.isEmpty && rowInserts.isEmpty && rowUpdates.isEmpty
    }

    /// Every change: of sections, then of rows; deletes, moves, inserts, updates.
    public var changes: [ResultsChange<ID>] {
        var changes: [ResultsChange<ID>] = []
        changes += sectionDeletes.map { .deleteSection($0.name, at: $0.index) }
        changes += sectionMoves.map { .moveSection($0.name, from: $0.from, to: $0.to) }
        changes += sectionInserts.map { .insertSection($0.name, at: $0.index) }
        changes += rowDeletes.map { .deleteRow($0.id, at: $0.path) }
        changes += rowMoves.map { .moveRow($0.id, from: $0.from, to: $0.to, isUpdated: $0.isUpdated) }
        changes += rowInserts.map { .insertRow($0.id, at: $0.path) }
        changes += rowUpdates.map { .updateRow($0.id, from: $0.from, to: $0.to) }
        return changes
    }

    /// What changed from one result to another.
    ///
    /// With `n` rows, of which `m` lie between the first and the last difference of their section, it costs O(n + m log m):
    /// a comparison or two for each row, a search for each changed one, and hashes mostly of changed ones. Sections that
    /// share their storage are not looked into unless a row of `updated` is sought.
    ///
    /// - Parameter updated: The rows whose content changed. Those that are not in both results are passed over.
    public static func between(
        _ old: ResultsSnapshot<ID>, _ new: ResultsSnapshot<ID>, updated: Set<ID> = []
    ) -> ResultsDifference {
        var comparison = ResultsComparison(old: old, new: new, updated: updated)
        return comparison.difference()
    }
}
