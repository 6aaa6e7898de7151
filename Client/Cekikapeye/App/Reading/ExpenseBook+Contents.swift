internal import CekikapeyeModel
internal import Objects
internal import Replica
package import RoostModel

extension ExpenseBook {
    /// Reads the entire book.
    ///
    /// - Throws: ``BookError/noGroup`` if the replica has no group yet; ``BookError/groupDeleted``; ``ObjectError``,
    ///   ``ReplicaError``.
    package func contents() throws -> BookContents { try contents(of: objects()) }

    /// Reads the group, the people, and the hidden and deleted records, but not the contents of spendings.
    ///
    /// - Throws: The errors of ``contents()``.
    package func roster() throws -> Roster { try roster(of: objects()) }

    /// Reads the group; `nil` if the replica has none yet.
    package func group() throws -> GroupInfo? { try group(of: objects()) }

    func contents(of objects: ObjectContext) throws -> BookContents {
        let spendings = try objects.fetch(FetchRequest<Spending>(sortedBy: [.ascending(\.date)]))
        let roster = try roster(of: objects, spendingIDs: spendings.map(\.objectID.record))
        return BookContents(
            roster: roster, spendings: try spendings.map { try ShownSpending($0).titled(by: roster) })
    }

    /// Reads the roster.
    ///
    /// - Parameter spendingIDs: The identifiers of the visible spendings, if they have been read already.
    func roster(of objects: ObjectContext, spendingIDs: [RecordID]? = nil) throws -> Roster {
        guard let group = try group(of: objects) else {
            throw try deletedGroup() == nil ? BookError.noGroup : BookError.groupDeleted
        }
        let people = try objects.fetch(FetchRequest<Person>(sortedBy: [.ascending(\.name, .localized)]))
        let deleted = try deletedRecords()
        return Roster(
            group: group, members: people.compactMap { Member($0) },
            spendingIDs: try spendingIDs ?? objects.fetchIDs(FetchRequest<Spending>()).map(\.record),
            hidden: try hiddenSpendings(deleted), deleted: deleted)
    }

    private func group(of objects: ObjectContext) throws -> GroupInfo? {
        guard let group = try objects.object(GroupSettings.self, id: GroupInfo.recordID) else { return nil }
        return GroupInfo(name: group.name, currencyCode: group.currency)
    }

    // MARK: Hidden and deleted records, for which there are no objects

    /// Returns the group's record if it was deleted. An "undo" of an earlier version could delete it.
    package func deletedGroup() throws -> DeletedRecord? { try deletedRecords().first { $0.id == GroupInfo.recordID } }

    /// Returns the records that can be undeleted, in the order of their identifiers.
    package func deletedRecords() throws -> [DeletedRecord] {
        let json = RecordJSON(replica.schema)
        return try replica.deleted().map { record in
            let object = try? json.object(record.put, of: record.key.entity)
            let entity = json.name(of: record.key.entity)
            let shown = version(object, isSpending: entity == Spending.entityName)
            return DeletedRecord(
                id: record.key.id, entity: entity, title: shown.title, amount: shown.amount,
                date: object?["date"]?.stringValue)
        }
    }

    /// Returns the records that other devices have deleted and that were not deleted before, with the name of the
    /// deleting device.
    ///
    /// A delete hides a record with all its edits, including edits that the deleting device had not received. Nothing
    /// else reports this.
    package func deletedByOthers(since known: Set<RecordID>) throws -> [(record: DeletedRecord, device: String?)] {
        let own = try replica.membership()?.replica
        let devices = try replica.devices()
        let authors = Dictionary(
            try replica.deleted().map { ($0.key.id, $0.deletedBy?.replica) }, uniquingKeysWith: { first, _ in first })
        return try deletedRecords().compactMap { record in
            guard !known.contains(record.id), let author = authors[record.id] ?? nil, author != own else { return nil }
            return (record, devices[author])
        }
    }

    private func hiddenSpendings(_ deleted: [DeletedRecord]) throws -> [HiddenSpending] {
        let json = RecordJSON(replica.schema)
        let names = Dictionary(deleted.map { ($0.id.description, $0.title) }, uniquingKeysWith: { first, _ in first })
        return try replica.journal().compactMap { entry in
            guard entry.outcome == .hidden, json.name(of: entry.key.entity) == Spending.entityName else { return nil }
            let object = entry.put.flatMap { try? json.object($0, of: entry.key.entity) }
            return HiddenSpending(
                id: entry.key.id, title: object?["content"]?.stringValue ?? "",
                because: object?["person"]?.stringValue.flatMap { names[$0] })
        }
    }
}
