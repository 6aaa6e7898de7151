internal import CekikapeyeRules
internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// Reads the whole book.
    ///
    /// - Throws: ``BookError/noGroup`` where the replica holds no group yet; ``ReplicaError``.
    package func contents() throws -> BookContents {
        guard let group = try group() else { throw BookError.noGroup }
        let rows = try replica.select("SELECT \(SpendingRow.columns) FROM spending ORDER BY date, id")
        let deleted = try deletedRecords()
        return BookContents(
            group: group, members: try members(), spendings: rows.compactMap { SpendingRow.spending($0) },
            hidden: try hiddenSpendings(deleted), deleted: deleted)
    }

    /// The group; `nil` where the replica holds none yet.
    package func group() throws -> GroupInfo? {
        let row = try replica.select(
            #"SELECT name, currency FROM groupsettings WHERE id = ?"#, [.bytes(GroupInfo.recordID.bytes)]
        ).first
        guard let row, row.count == 2 else { return nil }
        do {
            return GroupInfo(name: row[0].text ?? "", currency: try Currency(code: row[1].text ?? ""))
        } catch { throw BookError.money(error) }
    }

    private func members() throws -> [Member] {
        let members = try replica.select("SELECT id, name, active FROM person").compactMap { row -> Member? in
            guard row.count == 3, let id = row[0].recordID, let person = try? PersonID(bytes: id.bytes) else {
                return nil
            }
            return Member(id: id, personID: person, name: row[1].text ?? "", isActive: row[2].integer != 0)
        }
        return members.sorted { (FoldedText($0.name), $0.id) < (FoldedText($1.name), $1.id) }
    }

    private func deletedRecords() throws -> [DeletedRecord] {
        let json = RecordJSON(replica.schema)
        return try replica.deleted().map { record in
            let object = try? json.object(record.put, of: record.key.entity)
            let entity = json.name(of: record.key.entity)
            let title = object?[entity == EntityName.spending ? "content" : "name"]?.stringValue
            return DeletedRecord(id: record.key.id, entity: entity, title: title ?? "")
        }
    }

    private func hiddenSpendings(_ deleted: [DeletedRecord]) throws -> [HiddenSpending] {
        let json = RecordJSON(replica.schema)
        let names = Dictionary(deleted.map { ($0.id.description, $0.title) }, uniquingKeysWith: { first, _ in first })
        return try replica.journal().compactMap { entry in
            guard entry.outcome == .hidden, json.name(of: entry.key.entity) == EntityName.spending else { return nil }
            let object = entry.put.flatMap { try? json.object($0, of: entry.key.entity) }
            return HiddenSpending(
                id: entry.key.id, title: object?["content"]?.stringValue ?? "",
                because: object?["person"]?.stringValue.flatMap { names[$0] })
        }
    }
}
