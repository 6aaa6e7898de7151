internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Plans the import of a Splitwise export.
    ///
    /// Identifiers are derived from the names and rows. Repeated imports, also on two devices, thus make one record each.
    ///
    /// - Parameters:
    ///   - skipsBadRows: Whether invalid rows are skipped rather than refused.
    ///   - besideOthers: Whether to import although the imported spendings of the group would not balance as the file does.
    /// - Throws: ``BookError/file(_:)``, ``BookError/rows(_:)``, ``BookError/nothingReadable(_:)`` or
    ///   ``BookError/balancesDiffer(currencyCode:_:)``.
    package func planImport(
        _ bytes: [UInt8], skipsBadRows: Bool, besideOthers: Bool = false
    ) throws -> ImportPreview {
        let plan: ImportPlan
        do { plan = try SplitwiseImporter.plan(for: bytes) } catch { throw BookError.file(error) }
        guard plan.problems.isEmpty || skipsBadRows else { throw BookError.rows(plan.problems) }
        guard plan.problems.isEmpty || !plan.expenses.isEmpty else { throw BookError.nothingReadable(plan.problems) }
        let contents = try contents(of: objects())
        let roster = contents.roster
        let ids = plan.expenses.map { RecordID(derivedFrom: ["splitwise", $0.sourceKey]) }
        let mappings = ImportedPeople(roster, ImportedBefore(plan.expenses, ids, contents)).mappings(of: plan.people)
        let people = try mappings.map { try PersonID(bytes: $0.id.bytes) }
        let all = try plan.expenses.map { try draft(of: $0, mappings, people) }
        let present = Set(roster.spendingIDs + roster.hidden.map(\.id))
        let deleted = Set(roster.deleted.map(\.id))
        let drafts = all.filter { !present.contains($0.id) }
        let comparison = try ImportComparison(plan, contents, all: all, new: drafts)
        let proofs = try comparison.proofs(mappings, people)
        let preview = ImportPreview(
            plan: plan, mappings: mappings, broughtBack: drafts.count { deleted.contains($0.id) },
            alreadyThere: all.count - drafts.count, proofs: proofs, differences: comparison.differences,
            lookalikes: ImportLookalike.find(plan.expenses, new: Set(drafts.map(\.id)), ids: ids, contents),
            enteredHere: contents.spendings.count { !$0.isImported }, drafts: drafts)
        if let wrong = preview.failedProof, !drafts.isEmpty, !besideOthers {
            throw BookError.balancesDiffer(currencyCode: wrong.currency.code, comparison.differences)
        }
        return preview
    }

    /// Carries out a planned import in one transaction, which is undone as one step.
    ///
    /// - Parameter name: The name of the file in the log.
    package func carryOut(_ preview: ImportPreview, named name: String) throws {
        guard !preview.changesNothing else { return }
        let objects = objects()
        var people: [RecordID: Person] = [:]
        for mapping in preview.mappings where mapping.state != .present {
            people[mapping.id] = try insertPerson(mapping.nameInFile, id: mapping.id, into: objects)
        }
        for entry in preview.drafts {
            guard let person = try people[entry.person] ?? objects.object(Person.self, id: entry.person) else {
                throw BookError.unknownRecord(entry.person.description)
            }
            people[entry.person] = person
            try insert(entry.draft, id: entry.id, under: person, into: objects)
        }
        try objects.save("import \(name)")
    }

    private func draft(
        of imported: ImportedExpense, _ mappings: [ImportPreview.Mapping], _ people: [PersonID]
    ) throws(BookError) -> ImportPreview.Entry {
        let split = try Self.checking { () throws(SplitError) in try imported.split(people: people) }
        // A spending is listed under the person who paid most, or else the first person who is owed, or else the first
        // person of the file.
        let first =
            imported.payers.max { ($0.value.magnitude, $1.key) < ($1.value.magnitude, $0.key) }?.key
            ?? imported.effects.indices.first { imported.effects[$0] > 0 } ?? mappings.indices.first
        let draft = SpendingDraft(
            title: imported.title, amount: imported.amount, date: imported.date, kind: imported.kind, split: split,
            category: imported.category.isEmpty ? nil : imported.category,
            note: nil, source: ImportPreview.source)
        guard let first else { throw .nobody }
        return ImportPreview.Entry(
            id: RecordID(derivedFrom: ["splitwise", imported.sourceKey]), person: mappings[first].id, draft: draft)
    }
}
