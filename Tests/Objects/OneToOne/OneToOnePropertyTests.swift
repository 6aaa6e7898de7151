import Objects
import Replica
import RoostModel
import Testing

/// Random edits of a one-to-one relationship, compared with a table of its references.
@Suite struct OneToOnePropertyTests {
    @Test(arguments: 0..<8) func randomEditsAreAsTheTableSays(_ seed: UInt64) throws {
        let library = try OneToOneTests.registry()
        var play = try Play(library.coordinator(of: seed, classes: RegistrySchema.classes), seed)
        for step in 0..<60 {
            try play.step()
            try play.check("seed \(seed), step \(step)")
        }
    }

    /// A context, and its expected content.
    private struct Play {
        private let coordinator: StoreCoordinator
        private var context: ObjectContext
        private var random: SplitMix64
        private var holders: [ObjectID] = []
        /// The holder of each passport.
        private var table: [ObjectID: ObjectID?] = [:]

        init(_ coordinator: StoreCoordinator, _ seed: UInt64) throws {
            self.coordinator = coordinator
            context = ObjectContext(coordinator)
            context.undoHistory = UndoHistory()
            random = SplitMix64(state: seed)
            for number in 0..<4 { holders.append(try OneToOneTests.holder("h\(number)", in: context).objectID) }
            for number in 0..<6 {
                table[try OneToOneTests.passport("p\(number)", in: context).objectID] = .some(nil)
            }
            try context.save()
        }

        private mutating func pick<Item>(_ items: [Item]) -> Item {
            items[Int.random(in: 0..<items.count, using: &random)]
        }

        private func holder(_ id: ObjectID) throws -> Holder { try #require(try context.object(with: id) as? Holder) }
        private func passport(_ id: ObjectID) throws -> Passport {
            try #require(try context.object(with: id) as? Passport)
        }

        mutating func step() throws {
            let before = (holders, table)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try context.save()
            case 1:
                try context.save()
                context = ObjectContext(coordinator)
                context.undoHistory = UndoHistory()
            case 2: try elsewhere()
            default:
                let (passport, holder) = (pick(table.keys.sorted()), pick(holders))
                let kind = Int.random(in: 0..<12, using: &random)
                let groups = context.undoHistory?.undoNames.count
                try context.group("edit") { try edit(kind, passport, holder) }
                let after = (holders, table)
                // Without a change there is no group.
                guard context.undoHistory?.undoNames.count != groups else { return }
                guard Int.random(in: 0..<3, using: &random) == 0 else { return }
                #expect(try context.undo()?.leftAlone == [])
                (holders, table) = before
                try check("undone")
                guard Int.random(in: 0..<2, using: &random) == 0 else { return }
                #expect(try context.redo()?.leftAlone == [])
                (holders, table) = after
            }
        }

        private mutating func edit(_ kind: Int, _ id: ObjectID, _ owner: ObjectID) throws {
            switch kind {
            case 0..<4:
                try passport(id).holder = try holder(owner)
                give(id, to: owner)
            case 4..<8:
                try holder(owner).passport = try passport(id)
                give(id, to: owner)
            case 8:
                try passport(id).holder = nil
                table[id] = .some(nil)
            case 9:
                try holder(owner).passport = nil
                give(nil, to: owner)
            case 10:
                try context.delete(try passport(id))
                table[id] = nil
                table[try OneToOneTests.passport("n", in: context).objectID] = .some(nil)
            default:
                try context.delete(try holder(owner))
                give(nil, to: owner)
                holders.removeAll { $0 == owner }
                holders.append(try OneToOneTests.holder("n", in: context).objectID)
            }
        }

        private mutating func give(_ id: ObjectID?, to owner: ObjectID) {
            for (other, holder) in table where holder == owner { table[other] = .some(nil) }
            if let id { table[id] = owner }
        }

        /// Gives a holder one more passport, as another device would.
        private mutating func elsewhere() throws {
            try context.save()
            let (id, owner) = (pick(table.keys.sorted()), pick(holders))
            let one = FetchRequest<Passport>(where: try FetchPredicate(format: "SELF == %@", id.record))
            try context.updateAll(one, ["holder": .data(owner.record.bytes)])
            table[id] = owner
        }

        func check(_ place: String) throws {
            for (id, owner) in table { #expect(try passport(id).holder?.objectID == owner, "\(place)") }
            for id in holders {
                let naming = table.filter { $0.value == id }.keys.sorted()
                #expect(try holder(id).objects("passport").map(\.objectID) == naming, "\(place)")
                #expect(try holder(id).passport?.objectID == naming.last, "\(place)")
                let request = FetchRequest<Holder>(
                    where: try FetchPredicate(format: "SELF == %@ AND passport == %@", id.record, naming.last?.record))
                #expect(try context.fetchIDs(request) == [id], "\(place)")
            }
            #expect(context.failure == nil)
        }
    }
}
