internal import RoostModel

/// I22: a put says of the attributes that its author's programs do not know what the put said that it was made from; and of those that
/// they do know, what the user wrote.
enum UnknownKeptChecker {
    static func check(_ change: Change, _ accounting: AccountingChecker) throws {
        guard change.key.entity == SampleSchema.item, case .put(let encoded, _) = change.kind else { return }
        let said = try Expected(encoded)
        guard let write = accounting.write(with: said.text), write.key == change.key,
            let notes = write.notes
        else { return }
        for (property, name) in SampleSchema.notes(version: SampleSchema.versions) {
            let (now, before) = (said.notes[property], notes[property])
            // Not to say it, and to say the default, are the same.
            guard (now ?? SampleSchema.noteDefault) != (before ?? SampleSchema.noteDefault) else { continue }
            throw Violation(
                .unknownKept,
                "write \(write.number) of \(change.key) says \(now ?? "nothing") as its \(name), which was \(before ?? "nothing")"
            )
        }
    }
}
