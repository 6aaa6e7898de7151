internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// Adds a spending.
    ///
    /// - Throws: ``BookError`` for what cannot be read or does not fit; nothing is guessed and nothing written.
    package func add(_ request: AddRequest) throws -> EnteredSpending {
        let contents = try contents()
        let id = surroundings.makeID()
        let reading = try parse(request.amount, try currency(request.currency) ?? contents.group.currency)
        let (split, first) = try builder(contents, reading.money, id, me: request.me).build(request.split)
        let draft = SpendingDraft(
            title: try PersonName.checked(request.title), amount: reading.money, date: try day(request.date),
            kind: request.kind, split: split, person: first?.id, category: trimmed(request.category),
            note: trimmed(request.note), source: nil)
        let expense = try draft.expense(id: id)
        try replica.write("add \(draft.title)") { try put(draft, id: id, in: $0) }
        return EnteredSpending(id: id, expense: expense, reading: reading, contents: try self.contents())
    }

    /// Changes a spending.
    ///
    /// - Parameters:
    ///   - text: Its identifier, the end or the beginning of it.
    ///   - me: Who uses this device.
    /// - Throws: ``BookError``; nothing is written.
    package func edit(_ text: String, _ request: EditRequest) throws -> EnteredSpending {
        let contents = try contents()
        let spending = try contents.spending(identifiedBy: text)
        let old: Expense
        switch spending.expense {
        case .success(let expense): old = expense
        case .failure(let fault): throw BookError.malformedSpending(text, reason: fault.description)
        }
        let newCurrency = try currency(request.currency) ?? old.amount.currency
        let reading = try request.amount.map { try parse($0, newCurrency) }
        let amount = reading?.money ?? Money(minorUnits: old.amount.minorUnits, currency: newCurrency)
        let (split, first) = try builder(contents, amount, spending.id, me: nil).build(request.split, base: old.split)
        let draft = SpendingDraft(
            title: try request.title.map { try PersonName.checked($0) } ?? spending.title, amount: amount,
            date: try request.date.map { try day($0) } ?? old.date, kind: old.kind, split: split,
            person: first?.id ?? spending.person,
            category: request.category.map { trimmed($0) } ?? spending.category,
            note: request.note.map { trimmed($0) } ?? spending.note, source: spending.source)
        let expense = try draft.expense(id: spending.id)
        try replica.write("edit \(draft.title)") {
            try $0.put(EntityName.spending, id: spending.id, draft.values)
        }
        return EnteredSpending(id: spending.id, expense: expense, reading: reading, contents: try self.contents())
    }

    /// Deletes a spending.
    ///
    /// - Returns: What was deleted.
    package func deleteSpending(_ text: String) throws -> Spending {
        let spending = try contents().spending(identifiedBy: text)
        try replica.write("delete \(spending.title)") { try $0.delete(EntityName.spending, id: spending.id) }
        return spending
    }

    /// Brings a deleted spending or person back.
    ///
    /// - Parameter text: The identifier, the end or the beginning of it, or a deleted person's name.
    package func undelete(_ text: String) throws -> DeletedRecord {
        let deleted = try contents().deleted
        let folded = FoldedText(text)
        let named = deleted.filter { $0.entity == EntityName.person && FoldedText($0.title) == folded }
        let id =
            named.count == 1 ? named[0].id : try RecordMatcher(deleted.map { ($0.id, $0.title) }).find(text)
        guard let record = deleted.first(where: { $0.id == id }) else { throw BookError.unknownRecord(text) }
        try replica.write("undelete \(record.title)") { try $0.undelete(record.entity, id: id) }
        return record
    }

    // MARK: Reading what was typed

    private func builder(
        _ contents: BookContents, _ amount: Money, _ id: RecordID, me: RecordID?
    ) throws(BookError) -> SplitBuilder {
        do {
            let seed = try ExpenseID(bytes: id.bytes)
            return SplitBuilder(
                contents: contents, amount: amount, language: surroundings.language, seed: seed, me: me)
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
