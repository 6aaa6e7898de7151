import Objects
import Replica
import RoostModel
import Testing

/// Random edits of ordered relationships, compared with arrays.
@Suite struct OrderedPropertyTests {
    @Test(arguments: 0..<8) func randomEditsAreThoseOfArrays(_ seed: UInt64) throws {
        let library = try OrderedRelationshipTests.library()
        var play = try Play(library.coordinator(of: seed, classes: RegistrySchema.classes), seed)
        for step in 0..<80 {
            try play.step()
            try play.check("seed \(seed), step \(step)")
        }
    }

    /// A context with two volumes, and their expected content.
    private struct Play {
        private let coordinator: StoreCoordinator
        private var context: ObjectContext
        private var random: SplitMix64
        private var volumes: [ObjectID] = []
        private var lists: [[ObjectID]] = [[], []]
        /// Chapters without a volume.
        private var loose: [ObjectID] = []

        init(_ coordinator: StoreCoordinator, _ seed: UInt64) throws {
            self.coordinator = coordinator
            context = ObjectContext(coordinator)
            context.undoHistory = UndoHistory()
            random = SplitMix64(state: seed)
            volumes = try (0..<2).map { _ in try OrderedRelationshipTests.volume("", in: context).objectID }
            try context.save()
        }

        private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        private func volume(_ number: Int) throws -> Volume {
            try #require(try context.object(with: volumes[number]) as? Volume)
        }

        private func chapter(_ id: ObjectID) throws -> Chapter {
            try #require(try context.object(with: id) as? Chapter)
        }

        mutating func step() throws {
            let before = (lists, loose)
            switch number(0..<10) {
            case 0: try context.save()
            case 1:
                try context.save()
                context = ObjectContext(coordinator)
                context.undoHistory = UndoHistory()
            default:
                let groups = context.undoHistory?.undoNames.count
                try context.group("edit") { try edit() }
                guard context.undoHistory?.undoNames.count != groups, number(0..<4) == 0 else { return }
                let after = (lists, loose)
                #expect(try context.undo()?.leftAlone == [])
                (lists, loose) = before
                try check("undone")
                guard number(0..<2) == 0 else { return }
                #expect(try context.redo()?.leftAlone == [])
                (lists, loose) = after
            }
        }

        private mutating func edit() throws {
            let (one, other) = number(0..<2) == 0 ? (0, 1) : (1, 0)
            switch number(0..<8) {
            case 0: loose.append(try OrderedRelationshipTests.chapter("n", in: context).objectID)
            case 1, 2:
                let id = try loose.popLast() ?? OrderedRelationshipTests.chapter("n", in: context).objectID
                let place = number(0..<lists[one].count + 1)
                try volume(one).insertIntoChapters(try chapter(id), at: place)
                lists[one].insert(id, at: place)
            case 3:
                let id = try loose.popLast() ?? OrderedRelationshipTests.chapter("n", in: context).objectID
                if number(0..<2) == 0 {
                    try volume(one).addToChapters(try chapter(id))
                } else {
                    try chapter(id).volume = try volume(one)
                }
                lists[one].append(id)
            case 4 where !lists[one].isEmpty:
                let (from, to) = (number(0..<lists[one].count), number(0..<lists[one].count))
                try volume(one).moveInChapters(from: from, to: to)
                lists[one].insert(lists[one].remove(at: from), at: to)
            case 5 where !lists[one].isEmpty:
                let id = lists[one].remove(at: number(0..<lists[one].count))
                try volume(one).removeFromChapters(try chapter(id))
                loose.append(id)
            case 6 where !lists[one].isEmpty:
                let id = lists[one].remove(at: number(0..<lists[one].count))
                let place = number(0..<lists[other].count + 1)
                try volume(other).insertIntoChapters(try chapter(id), at: place)
                lists[other].insert(id, at: place)
            case 7 where !lists[one].isEmpty:
                let id = lists[one].remove(at: number(0..<lists[one].count))
                try context.delete(try chapter(id))
            default: break
            }
        }

        func check(_ place: String) throws {
            for index in 0..<2 {
                #expect(try volume(index).chapters.map(\.objectID) == lists[index], "\(place)")
            }
            // The order in other contexts.
            let form = ObjectContext(childOf: context)
            for index in 0..<2 {
                let volume = try #require(try form.object(with: volumes[index]) as? Volume)
                #expect(volume.chapters.map(\.objectID) == lists[index], "\(place)")
            }
            #expect(try loose.allSatisfy { try chapter($0).volume == nil })
            #expect(context.failure == nil)
        }
    }
}
