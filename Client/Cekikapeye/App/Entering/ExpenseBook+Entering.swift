internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Foundation
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Adds a spending.
    ///
    /// - Throws: ``BookError`` if a value cannot be read or does not fit. Nothing is guessed and nothing is written.
    package func add(_ request: AddRequest) throws -> EnteredSpending {
        let objects = objects()
        let roster = try roster(of: objects)
        let id = surroundings.makeID()
        guard let currency = try currency(request.currency) ?? roster.group.currency else {
            throw BookError.groupCurrency(roster.group.currencyCode)
        }
        let reading = try parse(request.amount, currency)
        do { return try add(request, id, reading, roster, objects) } catch let error as BookError {
            throw error.worded(roster, reading.money.currency, surroundings.language)
        }
    }

    private func add(
        _ request: AddRequest, _ id: RecordID, _ reading: ParsedAmount, _ roster: Roster, _ objects: ObjectContext
    ) throws -> EnteredSpending {
        let (split, first) = try builder(roster, reading.money, id, me: request.me).build(request.split)
        let draft = SpendingDraft(
            title: try PersonName.checked(request.title), amount: reading.money, date: try day(request.date),
            kind: request.kind, split: split, category: trimmed(request.category), note: trimmed(request.note),
            source: nil)
        let expense = try draft.expense(id: id)
        try insert(draft, id: id, under: try person(first, roster, objects), into: objects)
        try objects.save("add \(draft.title)")
        return EnteredSpending(
            id: id, expense: expense, reading: reading, isStep: true, contents: try contents(of: objects))
    }

    /// Changes a spending.
    ///
    /// - Parameters:
    ///   - text: The identifier of the spending, or the end or the beginning of it.
    ///   - request: The changes.
    /// - Throws: ``BookError``; nothing is written then.
    package func edit(_ text: String, _ request: EditRequest) throws -> EnteredSpending {
        let (objects, contents, spending, object) = try spending(text)
        guard let old = try? spending.expense.get() else {
            throw BookError.malformedSpending(text, reason: spending.faultText(contents.roster) ?? "")
        }
        let newCurrency = try currency(request.currency) ?? old.amount.currency
        guard request.amount != nil || newCurrency.exponent == old.amount.currency.exponent else {
            throw BookError.amountNeeded(from: old.amount.currency, to: newCurrency)
        }
        let reading = try request.amount.map { try parse($0, newCurrency) }
        let amount = reading?.money ?? Money(minorUnits: old.amount.minorUnits, currency: newCurrency)
        do {
            return try edit(spending, old, to: amount, reading, request, contents.roster, object, objects)
        } catch let error as BookError { throw error.worded(contents.roster, newCurrency, surroundings.language) }
    }

    private func edit(
        _ spending: ShownSpending, _ old: Expense, to amount: Money, _ reading: ParsedAmount?, _ request: EditRequest,
        _ roster: Roster, _ object: Spending, _ objects: ObjectContext
    ) throws -> EnteredSpending {
        let (split, first) = try builder(roster, amount, spending.id, me: nil).build(request.split, base: old.split)
        let draft = SpendingDraft(
            title: try request.title.map { try PersonName.checked($0) } ?? spending.title, amount: amount,
            date: try request.date.map { try day($0) } ?? old.date, kind: old.kind, split: split,
            category: request.category.map { trimmed($0) } ?? spending.category,
            note: request.note.map { trimmed($0) } ?? spending.note,
            source: request.title != nil && spending.isSettled ? nil : spending.source)
        let expense = try draft.expense(id: spending.id)
        draft.write(to: object)
        if let first { object.person = try person(first, roster, objects) }
        let isStep = try objects.save("edit \(draft.title)").isStep
        return EnteredSpending(
            id: spending.id, expense: expense, reading: reading, isStep: isStep,
            contents: try self.contents(of: objects))
    }

    /// Deletes a spending.
    ///
    /// - Returns: The deleted spending.
    package func deleteSpending(_ text: String) throws -> ShownSpending {
        let (objects, _, spending, object) = try spending(text)
        try objects.delete(object)
        try objects.save("delete \(spending.title)")
        return spending
    }

    /// Undeletes a spending or person.
    ///
    /// - Parameter text: The identifier, its end or its beginning, or a deleted person's name.
    package func undelete(_ text: String) throws -> DeletedRecord {
        let objects = objects()
        let folded = FoldedText(text)
        if folded == FoldedText("group"), let group = try deletedGroup() {
            try objects.undelete(group.entity, id: group.id)
            try objects.save("undelete \(group.title)")
            return group
        }
        let deleted = try roster(of: objects).deleted
        let named = deleted.filter { $0.isPerson && FoldedText($0.title) == folded }
        guard named.count <= 1 else {
            throw BookError.ambiguousRecord(
                text, candidates: named.map { "\($0.id.description.suffix(12)) \($0.title)" })
        }
        let id: RecordID
        do {
            id = try named.first?.id ?? RecordMatcher(deleted.map { ($0.id, $0.title) }).find(text)
        } catch BookError.unknownRecord { throw BookError.notDeleted(text) }
        guard let record = deleted.first(where: { $0.id == id }) else { throw BookError.notDeleted(text) }
        try objects.undelete(record.entity, id: id)
        try objects.save("undelete \(record.title)")
        return record
    }

    // MARK: Finding objects

    private func spending(
        _ text: String
    ) throws -> (objects: ObjectContext, contents: BookContents, shown: ShownSpending, object: Spending) {
        let objects = objects()
        let contents = try contents(of: objects)
        let shown = try contents.spending(identifiedBy: text)
        guard let object = try objects.object(Spending.self, id: shown.id) else {
            throw BookError.unknownRecord(text)
        }
        return (objects, contents, shown, object)
    }

    private func person(_ member: Member?, _ roster: Roster, _ objects: ObjectContext) throws -> Person {
        guard let member, let person = try objects.object(Person.self, id: member.id) else {
            throw BookError.payerNeeded(candidates: roster.members.map(\.name))
        }
        return person
    }

    // MARK: Parsing input

    private func builder(
        _ roster: Roster, _ amount: Money, _ id: RecordID, me: RecordID?
    ) throws(BookError) -> SplitBuilder {
        do {
            let seed = try ExpenseID(bytes: id.bytes)
            return SplitBuilder(
                roster: roster, amount: amount, language: surroundings.language, seed: seed, me: me)
        } catch { throw .unknownRecord(id.description) }
    }

    private func parse(_ text: String, _ currency: Currency) throws(BookError) -> ParsedAmount {
        do { return try AmountParser(currency: currency, language: surroundings.language).parse(text) } catch {
            throw .amount(error)
        }
    }

    private func currency(_ code: String?) throws(BookError) -> Currency? {
        guard let code else { return nil }
        do { return try Currency(code: code) } catch { throw .money(error) }
    }

    private func day(_ text: String?) throws(BookError) -> Day {
        guard let text else { return surroundings.today }
        do { return try DateParser(today: surroundings.today).parse(text) } catch { throw .date(error) }
    }

    private func trimmed(_ text: String?) -> String? {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        return text?.isEmpty == true ? nil : text
    }
}
