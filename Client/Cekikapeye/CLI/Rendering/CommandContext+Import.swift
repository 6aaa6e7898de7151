internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

extension CommandContext {
    private static let notesMax = 20

    /// Prints how people are mapped, the notes, and whether the balances equal those of the file.
    func describe(_ preview: ImportPreview) {
        for mapping in preview.mappings {
            let how =
                switch mapping.state {
                case .deleted where preview.changesNothing: text("was deleted", fr: "supprimé")
                case .new where preview.changesNothing: text("not in the group", fr: "absent du groupe")
                case .new: text("new", fr: "nouveau")
                case .deleted: text("was deleted, comes back", fr: "supprimé, revient")
                case .present: text("there already", fr: "déjà là")
                }
            screen.line("\(bold: mapping.nameInFile)  \(how)")
        }
        for problem in preview.plan.problems {
            screen.line(Line(text("Skipped. \(problem.description)", fr: "Sauté. \(problem.description)"), .bad))
        }
        for note in preview.plan.notes.prefix(Self.notesMax) { screen.line(Line(note.description, .dim)) }
        let more = preview.plan.notes.count - Self.notesMax
        if more > 0 { screen.line(Line(text("… and \(more) more notes", fr: "… et \(more) autres remarques"), .dim)) }
        if preview.broughtBack > 0 {
            screen.line(
                Line(
                    text(
                        "\(preview.broughtBack) of them were deleted here and come back.",
                        fr: "\(preview.broughtBack) avaient été supprimées ici et reviennent.")))
        }
        for proof in preview.proofs { show(proof) }
        for difference in preview.differences.prefix(Self.notesMax) {
            screen.line(Line("  \(difference.text(in: language))", .bad))
        }
        for lookalike in preview.lookalikes.prefix(Self.notesMax) {
            screen.line(Line(lookalike.text(in: language), .bad))
        }
        guard preview.enteredHere > 0 else { return }
        screen.line(
            Line(
                text(
                    "The balances above are those of imported spendings. Spendings entered here count in the group too: \(preview.enteredHere).",
                    fr:
                        "Ces soldes sont ceux des dépenses importées ; celles saisies ici (\(preview.enteredHere)) comptent aussi."
                ),
                .dim))
    }

    private func verdict(_ proof: BalanceProof) -> String {
        if proof.holds { return text("balances equal the file", fr: "soldes égaux au fichier") }
        guard proof.rowsHold else { return text("balances differ from the file", fr: "soldes différents du fichier") }
        guard !proof.isStated else {
            return text(
                "balances differ from the file, by the skipped rows",
                fr: "soldes différents du fichier, à cause des lignes sautées")
        }
        return text(
            "balances equal the rows that were read; the file has \(proof.skippedRows) more",
            fr: "soldes égaux aux lignes lues ; le fichier en a \(proof.skippedRows) de plus")
    }

    private func show(_ proof: BalanceProof) {
        let sides = proof.lines.map { line in
            "\(line.name) \(screen.signed(line.inFile)) \(line.inFile == line.imported ? "=" : "≠") \(screen.signed(line.imported))"
        }
        screen.line(
            "\(bold: proof.currency.code): \(verdict(proof), proof.holds ? .good : .bad) (\(sides.joined(separator: ", ")))"
        )
    }

    func json(_ preview: ImportPreview, isDone: Bool) -> JSONValue {
        let people = preview.mappings.map { mapping in
            JSONValue.members(
                ("name", .string(mapping.nameInFile)), ("id", .string(mapping.id.description)),
                ("state", .string(mapping.state.rawValue)))
        }
        let proofs = preview.proofs.map { proof in
            let lines = proof.lines.map { line in
                JSONValue.members(
                    ("name", .string(line.name)), ("inFile", .integer(line.inFile.minorUnits)),
                    ("imported", .integer(line.imported.minorUnits)))
            }
            return JSONValue.members(
                ("currency", .string(proof.currency.code)), ("holds", .boolean(proof.holds)), ("people", .array(lines)))
        }
        return .members(
            ("done", .boolean(isDone)), ("new", .integer(preview.newCount)),
            ("alreadyThere", .integer(preview.alreadyThere)), ("broughtBack", .integer(preview.broughtBack)),
            ("changesNothing", .boolean(preview.changesNothing)), ("people", .array(people)),
            ("proofs", .array(proofs)),
            (
                "differences",
                .array(
                    preview.differences.map {
                        .members(
                            ("kind", .string($0.kind.rawValue)), ("id", .string($0.id.description)),
                            ("title", .string($0.title)))
                    })
            ),
            (
                "lookalikes",
                .array(
                    preview.lookalikes.map {
                        .members(
                            ("line", .integer($0.line)), ("id", .string($0.id.description)),
                            ("title", .string($0.title)))
                    })
            ),
            ("skipped", .array(preview.plan.problems.map { .string($0.description) })),
            ("notes", .array(preview.plan.notes.map { .string($0.description) })))
    }
}
