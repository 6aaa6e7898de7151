import Objects
import Replica
import RoostModel
import Testing

/// The cells of the table, each one executed.
@Suite struct DeleteRuleTableTests {
    /// One kind and rule of a row.
    struct Case: CustomTestStringConvertible {
        let kind: FamilyKind
        let rule: String
        let cells: [(moment: DeleteRuleRow.Moment, expected: String)]

        var testDescription: String { "\(kind), \(rule)" }

        static let all = DeleteRuleRow.parents.flatMap { row in
            row.kinds.flatMap { kind in
                row.rules.map { Case(kind: kind, rule: $0, cells: row.cells + DeleteRuleRow.child) }
            }
        }
    }

    @Test(arguments: Case.all) func deletingIsAsTheTableSays(_ item: Case) throws {
        let home = try FamilyHome(item.kind, item.rule)
        for (moment, expected) in item.cells {
            for other in Self.others(moment) {
                let found = try play(moment, home, other)
                #expect(found == expected, "\(moment), by \(other)")
            }
        }
    }

    @Test func theSchemaRefusesOtherRules() throws {
        for row in DeleteRuleRow.refusals {
            for kind in row.kinds {
                let error = #expect(throws: SchemaError.self) {
                    try Schema(json: kind.schema(row.rule, childRule: row.childRule))
                }
                #expect(error.map { "\($0)".contains(row.reason) } == true, "\(kind), \(row.rule), \(row.childRule)")
            }
        }
    }

    /// Returns the other authors that a moment is tested with.
    private static func others(_ moment: DeleteRuleRow.Moment) -> [Family.Other] {
        switch moment {
        case .unsaved, .saved, .childUnsaved, .childSaved: [.context]
        case .whileChildIsNotPushed, .thenChildGoes: [.device]
        case .elsewhere, .whileChildIsEdited, .whileChildIsNew, .childElsewhere: Family.Other.allCases
        }
    }

    private func play(_ moment: DeleteRuleRow.Moment, _ home: FamilyHome, _ other: Family.Other) throws -> String {
        let isNew = [.whileChildIsNew, .whileChildIsNotPushed, .thenChildGoes].contains(moment)
        let family = try Family(at: home, hasChild: !isNew)
        let context = family.context
        var report: SaveReport?
        do {
            switch moment {
            case .unsaved:
                try context.delete(family.parent)
                return try family.unsavedState()
            case .childUnsaved:
                try context.delete(family.child)
                return try family.unsavedState()
            case .saved:
                try context.delete(family.parent)
                report = try context.save()
            case .childSaved:
                try context.delete(family.child)
                report = try context.save()
            case .elsewhere: try family.delete(family.parent, by: other)
            case .childElsewhere: try family.delete(family.child, by: other)
            case .whileChildIsEdited:
                try family.child.set("name", to: .string("edited"))
                try family.delete(family.parent, by: other)
                report = try context.save()
            case .whileChildIsNew:
                try family.makeChild()
                try family.delete(family.parent, by: other)
                report = try context.save()
            case .whileChildIsNotPushed, .thenChildGoes:
                try family.makeChild()
                try context.save()
                try family.delete(family.parent, by: other)
                guard moment == .thenChildGoes else { break }
                try context.delete(family.child)
                report = try context.save()
            }
        } catch let error as ObjectError where error.code == .denied {
            context.rollback()
            return "denied: " + (try family.state())
        }
        let state = try family.state()
        if other == .device { #expect(try family.stateThere() == state, "\(moment), on the other device") }
        try undelete(family, moment)
        return state + (report.map(family.name) ?? "")
    }

    /// Checks that a delete has no other effects, so undeleting restores everything.
    private func undelete(_ family: Family, _ moment: DeleteRuleRow.Moment) throws {
        let context = family.context
        guard moment != .thenChildGoes else { return }
        for object in [family.parent, family.child] {
            guard let object, try context.liveness(of: object.objectID) == .deleted else { continue }
            try context.undelete(object.entity.name, id: object.objectID.record)
        }
        try context.save()
        guard try !family.state().contains("kept") else { return }
        #expect(try family.state() == "parent visible, child visible → parent", "\(moment), taken back")
    }
}
