internal import RoostModel

/// The difference between two results of one fetch request: sections and rows that entered, left, moved or changed.
///
/// Deletes and the `from` of moves and updates count in the old result; inserts and each `to` count in the new one. Batch updates
/// of table views count in this way.
///
/// ## Order of application
///
/// These steps, in this order, turn a list of the old result into the new one:
///
/// 1. Remove the rows of ``rowDeletes``, and the rows of ``rowMoves`` at `from`, the last path first.
/// 2. Remove the sections of ``sectionDeletes``, which are empty by now, and the sections of ``sectionMoves`` at `from` with
///    their remaining rows, the last index first.
/// 3. Insert the sections of ``sectionInserts``, empty, and the moved sections at `to`, the first index first.
/// 4. Insert the rows of ``rowInserts``, and the moved rows at `to`, the first path first.
/// 5. Redraw the rows of ``rowUpdates`` at `to`, and the rows of ``rowMoves`` with `isUpdated`.
///
/// Each index is valid at the moment of its step. ``applied(to:)`` performs these steps.
///
/// ## What is reported
///
/// - A row is reported at most once: as deleted, inserted, moved or updated. A row of a section that entered or left is reported
///   like any other row.
/// - A row that goes to a section with another name is moved. Within a section, and among the sections that stay, as few elements
///   as possible are moved. Where there is a choice, updated rows are moved: of two neighbours that swap places, the one whose
///   content changed.
/// - A section that only changes its position among the other sections is moved, not deleted and inserted. Its rows move with it
///   and are not reported. A section whose name changes is deleted and inserted, and its rows move.
public struct ResultsDifference<ID: Hashable & Sendable>: Hashable, Sendable {
    /// A section that entered or left the result.
    public struct SectionChange: Hashable, Sendable {
        /// The section's name.
        public let name: String?
        /// The section's index: the old one for a delete, the new one for an insert.
        public let index: Int

        /// Compares names by their bytes.
        public static func == (left: SectionChange, right: SectionChange) -> Bool {
            left.name.isSameText(as: right.name) && left.index == right.index
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name.map(ExactText.init))
            hasher.combine(index)
        }
    }

    /// A section that moved among the sections that stay.
    public struct SectionMove: Hashable, Sendable {
        /// The section's name.
        public let name: String?
        /// The section's index in the old result.
        public let from: Int
        /// The section's index in the new result.
        public let to: Int

        /// Compares names by their bytes.
        public static func == (left: SectionMove, right: SectionMove) -> Bool {
            left.name.isSameText(as: right.name) && left.from == right.from && left.to == right.to
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name.map(ExactText.init))
            hasher.combine(from)
            hasher.combine(to)
        }
    }

    /// A row that entered or left the result.
    public struct RowChange: Hashable, Sendable {
        /// The row's identifier.
        public let id: ID
        /// The row's path: the old one for a delete, the new one for an insert.
        public let path: ResultsIndexPath
    }

    /// A row that moved to another section, or among the rows that stay in its section.
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
    /// The sections that entered, the first first.
    public internal(set) var sectionInserts: [SectionChange] = []
    /// The rows that left, the last first.
    public internal(set) var rowDeletes: [RowChange] = []
    /// The rows that moved, by their new path.
    public internal(set) var rowMoves: [RowMove] = []
    /// The rows that entered, the first first.
    public internal(set) var rowInserts: [RowChange] = []
    /// The rows whose content changed without a move, by their new path.
    public internal(set) var rowUpdates: [RowUpdate] = []

    /// Makes an empty difference.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool {
        sectionDeletes.isEmpty && sectionMoves.isEmpty && sectionInserts.isEmpty && rowDeletes.isEmpty
            && rowMoves.isEmpty && rowInserts.isEmpty && rowUpdates.isEmpty
    }

    /// All changes: section changes, then row changes, each in the order of deletes, moves, inserts and updates.
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

    /// Compares two results.
    ///
    /// With `n` rows, of which `m` lie between the first and the last difference of their section, the cost is O(n + m log m):
    /// one or two comparisons for each row, a search for each changed row, and hashes mostly of changed rows. Sections that share
    /// their storage are skipped, unless a row of `updated` is sought.
    ///
    /// - Parameter updated: The rows whose content changed. Rows that are not in both results are ignored.
    public static func between(
        _ old: ResultsSnapshot<ID>, _ new: ResultsSnapshot<ID>, updated: Set<ID> = []
    ) -> ResultsDifference {
        var comparison = ResultsComparison(old: old, new: new, updated: updated)
        return comparison.difference()
    }
}
