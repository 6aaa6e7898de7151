internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Says what importing a Splitwise export would do.
    ///
    /// Identifiers are derived from the names and rows, so that an import again, or on two devices, makes one record each.
    ///
    /// - Parameter skipsBadRows: Whether rows that cannot be read are left out rather than refused.
    /// - Throws: ``BookError/file(_:)``, ``BookError/rows(_:)``, or ``BookError/balancesDiffer(currencyCode:)``.
    package func planImport(_ bytes: [UInt8], skipsBadRows: Bool) throws -> ImportPreview {
        let plan: ImportPlan
        do { plan = try SplitwiseImporter.plan(for: bytes) } catch { throw BookError.file(error) }
        guard plan.problems.isEmpty || skipsBadRows else { throw BookError.rows(plan.problems) }
        let roster = try roster()
        let mappings = plan.people.map { mapping(of: $0, roster) }
        let people = try mappings.map { try PersonID(bytes: $0.id.bytes) }
        let all = try plan.expenses.map { try draft(of: $0, mappings, people) }
        let proofs = try proofs(plan, mappings, people, all)
        if let wrong = proofs.first(where: { !$0.holds }) {
            throw BookError.balancesDiffer(currencyCode: wrong.currency.code)
        }
        let present = Set(roster.spendingIDs + roster.hidden.map(\.id))
        let deleted = Set(roster.deleted.map(\.id))
        let drafts = all.filter { !present.contains($0.id) }
        return ImportPreview(
            plan: plan, mappings: mappings, broughtBack: drafts.count { deleted.contains($0.id) },
            alreadyThere: all.count - drafts.count, proofs: proofs, drafts: drafts)
    }

    /// Imports what was planned, in one transaction that is undone as one step.
    ///
    /// - Parameter name: What to call the file in the log.
    package func carryOut(_ preview: ImportPreview, named name: String) throws {
        guard !preview.changesNothing else { return }
        let objects = objects()
        var people: [RecordID: Person] = [:]
        for mapping in preview.mappings where mapping.state != .present {
            // Names of a file that differ in case only are one person.
            if let known = people[mapping.id] {
                known.name = mapping.nameInFile
            } else {
                people[mapping.id] = try insertPerson(mapping.nameInFile, id: mapping.id, into: objects)
            }
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

    private func mapping(of person: ImportedPerson, _ roster: Roster) -> ImportPreview.Mapping {
        let folded = FoldedText(person.name)
        let namesakes = roster.members.filter { FoldedText($0.name) == folded }
        if let only = namesakes.first, namesakes.count == 1 {
            return .init(nameInFile: person.name, id: only.id, state: .present)
        }
        let derived = RecordID(derivedFrom: ["splitwise-person", person.name.lowercased()])
        // Imported under this name before, and renamed since.
        if roster.members.contains(where: { $0.id == derived }) {
            return .init(nameInFile: person.name, id: derived, state: .present)
        }
        let isDeleted = roster.deleted.contains { $0.id == derived }
        return .init(nameInFile: person.name, id: derived, state: isDeleted ? .deleted : .new)
    }

    private func draft(
        of imported: ImportedExpense, _ mappings: [ImportPreview.Mapping], _ people: [PersonID]
    ) throws(BookError) -> ImportPreview.Entry {
        let split = try Self.checking { () throws(SplitError) in try imported.split(people: people) }
        // Listed under whoever paid, else under whoever is owed, else under the first of the file.
        let first =
            imported.payers.max { ($0.value.magnitude, $1.key) < ($1.value.magnitude, $0.key) }?.key
            ?? imported.effects.indices.first { imported.effects[$0] > 0 } ?? mappings.indices.first
        let draft = SpendingDraft(
            title: imported.title, amount: imported.amount, date: imported.date, kind: imported.kind, split: split,
            category: imported.category.isEmpty ? nil : imported.category,
            note: nil, source: "splitwise")
        guard let first else { throw .nobody }
        return ImportPreview.Entry(
            id: RecordID(derivedFrom: ["splitwise", imported.sourceKey]), person: mappings[first].id, draft: draft)
    }

    private func proofs(
        _ plan: ImportPlan, _ mappings: [ImportPreview.Mapping], _ people: [PersonID],
        _ drafts: [ImportPreview.Entry]
    ) throws -> [BalanceProof] {
        let made = try Balances.compute(drafts.map { try $0.draft.expense(id: $0.id) })
        return try plan.balances.sorted { $0.key < $1.key }.map { code, stated in
            let currency = try Currency(code: code)
            var inFile: [PersonID: Int64] = [:]
            for (position, amount) in stated.enumerated() { inFile[people[position], default: 0] += amount }
            let lines = people.indices.filter { people.firstIndex(of: people[$0]) == $0 }.map { position in
                BalanceProof.Line(
                    name: mappings[position].nameInFile,
                    inFile: Money(minorUnits: inFile[people[position]] ?? 0, currency: currency),
                    imported: Money(minorUnits: made[code]?[people[position]] ?? 0, currency: currency))
            }
            return BalanceProof(currency: currency, lines: lines)
        }
    }
}
