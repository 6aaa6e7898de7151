import Objects

/// The records of a store, fetched by section name, then value, then identifier.
struct ResultRecords {
    private struct Record {
        var section: String
        var value: Int
    }

    private let hasSections: Bool
    private var records: [Int: Record] = [:]

    init(hasSections: Bool) { self.hasSections = hasSections }

    /// Deletes the record, or assigns a section and a value to it.
    mutating func change(_ id: Int, _ random: inout RandomResults) {
        let record = Record(section: ["A", "B", "C", "D", "E"][random.below(5)], value: random.below(10))
        records[id] = random.chance(1, of: 4) ? nil : record
    }

    /// Renames a section, as an edit of a person does whose name it has, and returns its records.
    mutating func renameSection(_ random: inout RandomResults) -> [Int] {
        let (name, other) = (["A", "B", "C", "D", "E"][random.below(5)], ["0", "B5", "Z"][random.below(3)])
        let ids = records.filter { $0.value.section == name }.map(\.key)
        for id in ids { records[id]?.section = other }
        return ids
    }

    func placement(_ id: Int) -> ResultsPlacement {
        guard let record = records[id] else { return .absent }
        return .present(section: hasSections ? record.section : nil)
    }

    func precedes(_ first: Int, _ second: Int) -> Bool {
        guard let one = records[first], let other = records[second] else { return false }
        let (before, after) = hasSections ? (one.section, other.section) : ("", "")
        return (before, one.value, first) < (after, other.value, second)
    }

    func fetched() -> ResultsSnapshot<Int> {
        let rows = records.keys.sorted(by: precedes)
        guard hasSections else { return ResultsSnapshot(rows: rows) }
        var sections: [ResultsSection<Int>] = []
        for name in Set(records.values.map(\.section)).sorted() {
            sections.append(ResultsSection(name: name, rows: rows.filter { records[$0]?.section == name }))
        }
        return ResultsSnapshot(sections: sections)
    }
}
