internal import RoostModel

/// Changes of identifiers, and rows that are deleted and inserted again.
extension ForeignWriter {
    mutating func identifiers() -> [ForeignUnit] {
        switch random.number(0...8) {
        case 0, 1: return [unit([rename(table(), clause: nil)])]
        case 2: return [unit([rename(table(), clause: random.pick(ForeignStatement.Clause.allCases))])]
        case 3: return renameParent(SampleSchema.folder)
        case 4: return renameParent(SampleSchema.owner)
        case 5: return swap()
        case 6: return reinsert(isTogether: true)
        case 7: return reinsert(isTogether: false)
        default: return reinsertAndRename()
        }
    }

    /// Gives one record a fresh identifier, or that of another record; the conflict clause decides about the latter.
    private mutating func rename(_ table: ForeignTable, clause: ForeignStatement.Clause?) -> ForeignStatement {
        let old = existingOrFresh(table)
        let new = random.isOne(of: 2) ? fresh(table) : existingOrFresh(table)
        let values = random.isOne(of: 2) ? "" : ", text = '\(marker())'"
        return .init(
            sql: "UPDATE \(clause.map { $0.sql + " " } ?? "")\(table.name) SET id = \(new.literal)\(values) "
                + "WHERE id = \(old.literal)",
            name: clause.map { "renameOr\($0.rawValue.prefix(1).uppercased())\($0.rawValue.dropFirst())" } ?? "rename",
            deletesFrom: [table.entity], clause: clause ?? .abort)
    }

    /// Gives a parent another identifier. Its children are updated before, after, or not at all.
    private mutating func renameParent(_ entity: EntityID) -> [ForeignUnit] {
        let parent = table(entity)
        guard let old = existing(parent) else { return statements() }
        let new = fresh(parent)
        var statements: [ForeignStatement] = [
            .init(
                sql: "UPDATE \(parent.name) SET id = \(new.literal) WHERE id = \(old.literal)", name: "renameParent",
                deletesFrom: [entity])
        ]
        for table in tables {
            for column in table.columns where column.kind == .reference(entity) {
                let follow = ForeignStatement(
                    sql:
                        "UPDATE \(table.name) SET \(column.name) = \(new.literal) WHERE \(column.name) = \(old.literal)",
                    name: "followParent")
                switch random.number(0...2) {
                case 0: statements.append(follow)
                case 1: statements.insert(follow, at: 0)
                default: break
                }
            }
        }
        return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: statements)]
    }

    /// Swaps the identifiers of two records.
    private mutating func swap() -> [ForeignUnit] {
        let table = table()
        guard let one = existing(table), let other = existing(table), one != other else { return statements() }
        let third = RecordID(high: UInt64(table.entity.rawValue), low: 99)
        let moves = [(one, third), (other, one), (third, other)].map { old, new in
            ForeignStatement(
                sql: "UPDATE \(table.name) SET id = \(new.literal) WHERE id = \(old.literal)", name: "swap",
                deletesFrom: [table.entity])
        }
        return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: moves)]
    }

    /// Deletes a record and inserts it again, with equal or different content.
    private mutating func reinsert(isTogether: Bool) -> [ForeignUnit] {
        let table = table()
        guard let id = existing(table) else { return statements() }
        let delete = ForeignStatement(
            sql: "DELETE FROM \(table.name) WHERE id = \(id.literal)", name: "reinsert", deletesFrom: [table.entity])
        let again = ForeignStatement(sql: insert(table, [id]), name: "reinsert")
        guard isTogether else { return [ForeignUnit(statements: [delete]), ForeignUnit(statements: [again])] }
        return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: [delete, again])]
    }

    /// Deletes a record, inserts it again, and then changes its identifier under a conflict clause.
    private mutating func reinsertAndRename() -> [ForeignUnit] {
        let table = table()
        guard let id = existing(table) else { return statements() }
        let clause = random.pick(ForeignStatement.Clause.allCases)
        let new = existingOrFresh(table)
        let name = "reinsertRenameOr\(clause.rawValue.prefix(1).uppercased())\(clause.rawValue.dropFirst())"
        return reinsert(isTogether: random.isOne(of: 2)) + [
            ForeignUnit(statements: [
                ForeignStatement(
                    sql: "UPDATE \(clause.sql) \(table.name) SET id = \(new.literal) WHERE id = \(id.literal)",
                    name: name, deletesFrom: [table.entity], clause: clause)
            ])
        ]
    }
}
