internal import RoostModel

/// I22: for attributes unknown to its author's schema version, a put has the values of the put that it was made from; for
/// known attributes, the values that the user wrote.
enum UnknownKeptChecker {
    static func check(_ change: Change, _ accounting: AccountingChecker) throws {
        guard change.key.entity == SampleSchema.item, case .put(let encoded, _) = change.kind else { return }
        let said = try Expected(encoded)
        guard let write = accounting.write(with: said.text), write.key == change.key,
            let notes = write.notes
        else { return }
        for (property, name) in SampleSchema.notes(version: SampleSchema.versions) {
            let (now, before) = (said.notes[property], notes[property])
            // A missing value and the default are equal.
            guard (now ?? SampleSchema.noteDefault) != (before ?? SampleSchema.noteDefault) else { continue }
            throw Violation(
                .unknownKept,
                "write \(write.number) of \(change.key) says \(now ?? "nothing") as its \(name), which was \(before ?? "nothing")"
            )
        }
    }
}
