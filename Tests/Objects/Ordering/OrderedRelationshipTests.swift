import Objects
import Replica
import RoostModel
import Testing

/// The relationship `Volume.chapters`, ordered by `Chapter.place`.
@Suite struct OrderedRelationshipTests {
    static func library() throws -> TestLibrary {
        try TestLibrary(RegistrySchema.text, classes: RegistrySchema.classes)
    }

    static func volume(_ titles: String, in context: ObjectContext) throws -> Volume {
        let volume = try context.insert(Volume.self)
        volume.title = "v"
        for title in titles { volume.addToChapters(try chapter("\(title)", in: context)) }
        return volume
    }

    static func chapter(_ title: String, in context: ObjectContext) throws -> Chapter {
        let chapter = try context.insert(Chapter.self)
        chapter.title = title
        return chapter
    }

    static func titles(_ volume: Volume) -> String { volume.chapters.map(\.title).joined() }

    private func again(_ volume: Volume, in context: ObjectContext) throws -> Volume {
        try #require(try context.object(with: volume.objectID) as? Volume)
    }

    @Test func anOrderIsMadeKeptAndChanged() throws {
        let library = try Self.library()
        let context = library.context()
        let volume = try Self.volume("abc", in: context)
        volume.insertIntoChapters(try Self.chapter("x", in: context), at: 1)
        #expect(Self.titles(volume) == "axbc")
        volume.moveInChapters(from: 3, to: 0)
        #expect(Self.titles(volume) == "caxb")
        volume.insertIntoChapters(volume.chapters[0], at: 2)
        #expect(Self.titles(volume) == "axcb")
        volume.removeFromChapters(volume.chapters[1])
        #expect(Self.titles(volume) == "acb")
        try context.save()
        let other = library.context()
        #expect(Self.titles(try again(volume, in: other)) == "acb")
        #expect(context.failure == nil)
    }

    @Test func predicatesAndOrdersReadTheFirstAndLast() throws {
        let library = try Self.library()
        let context = library.context()
        let (one, two) = (try Self.volume("abc", in: context), try Self.volume("xyz", in: context))
        one.moveInChapters(from: 2, to: 0)
        try context.save()
        two.moveInChapters(from: 0, to: 2)
        func volumes(_ format: String) throws -> [ManagedObject] {
            try context.fetch(FetchRequest("Volume", where: try FetchPredicate(format: format)))
        }
        #expect(try volumes("chapters[FIRST].title == 'c'") == [one])
        #expect(try volumes("chapters[LAST].title == 'x' AND chapters[SIZE] == 3") == [two])
        #expect(try volumes("chapters[FIRST] == nil") == [])
        let order = [FetchSortDescriptor.descending("chapters[FIRST].title")]
        let fetched = try context.fetch(FetchRequest<Volume>(sortedBy: order))
        #expect(fetched == [two, one])
        #expect(try [one, two].sorted(by: order) == fetched)
    }

    @Test func everythingGoesByNameToo() throws {
        let library = try TestLibrary(RegistrySchema.text)
        let context = library.context()
        let volume = try context.insert("Volume")
        let chapters = try (0..<3).map { _ in try context.insert("Chapter") }
        for chapter in chapters { try volume.insert(chapter, into: "chapters", at: 0) }
        try volume.move(in: "chapters", from: 0, to: 1)
        #expect(try volume.objects("chapters") == [chapters[1], chapters[2], chapters[0]])
    }

    @Test func movingWritesOneRecord() throws {
        let library = try Self.library()
        let context = library.context()
        let volume = try Self.volume("abcdefgh", in: context)
        try context.save()
        let writer = library.context()
        let mine = try again(volume, in: writer)
        for (from, to) in [(0, 7), (7, 0), (3, 5), (6, 1)] {
            let moved = mine.chapters[from]
            mine.moveInChapters(from: from, to: to)
            #expect(writer.updatedObjects == [moved])
            #expect(moved.changedValues.keys.sorted() == ["place"])
            try writer.save()
        }
        #expect(Self.titles(mine) == "agbcefdh")
    }

    @Test func whatComesByItsOwnSideComesLast() throws {
        let library = try Self.library()
        let context = library.context()
        let (one, two) = (try Self.volume("abc", in: context), try Self.volume("de", in: context))
        one.chapters[0].volume = two
        #expect(Self.titles(one) == "bc" && Self.titles(two) == "dea")
        two.chapters[0].volume = two
        #expect(Self.titles(two) == "dea")
        one.insertIntoChapters(two.chapters[1], at: 1)
        #expect(Self.titles(one) == "bec" && Self.titles(two) == "da")
    }

    /// Two contexts insert at one index. Both chapters are kept, in one order in each context, and another can be inserted
    /// between them.
    @Test func twoDevicesAtOnePlace() throws {
        let library = try Self.library()
        let writer = library.context()
        let volume = try Self.volume("ab", in: writer)
        try writer.save()
        let (here, there) = (library.context(), library.context())
        let (mine, theirs) = (try again(volume, in: here), try again(volume, in: there))
        #expect(Self.titles(mine) == "ab" && Self.titles(theirs) == "ab")
        for (owner, context, title, number) in [(mine, here, "x", UInt64(1)), (theirs, there, "y", 2)] {
            let chapter = try context.insert(Chapter.self, id: RecordID(high: 1, low: number))
            chapter.title = title
            owner.insertIntoChapters(chapter, at: 1)
        }
        try there.save()
        try here.save()
        for context in [here, there] {
            try context.refresh()
            #expect(Self.titles(try again(volume, in: context)) == "axyb")
        }
        #expect(mine.chapters[1].place == mine.chapters[2].place)
        let waiting = try library.waiting()
        mine.insertIntoChapters(try Self.chapter("z", in: here), at: 2)
        #expect(Self.titles(mine) == "axzyb")
        #expect(here.updatedObjects.count == 1)
        try here.save()
        #expect(try library.waiting() == waiting + 1)
        let other = library.context()
        #expect(Self.titles(try again(volume, in: other)) == "axzyb")
    }

    /// Chapters of an older program, or of SQL, have no position.
    @Test func whatHasNoPositionComesLast() throws {
        let library = try Self.library()
        let context = library.context()
        let volume = try Self.volume("ab", in: context)
        try context.save()
        try library.replica.write("elsewhere") { transaction in
            for title in ["m", "n"] {
                let id = RecordID(high: .max, low: UInt64(title.utf8.first ?? 0))
                let values: [String: Value] = [
                    "title": .string(title), "volume": .data(volume.objectID.record.bytes),
                ]
                try transaction.put("Chapter", id: id, values)
            }
        }
        try context.refresh()
        #expect(Self.titles(volume) == "abmn")
        // The new chapter is older than those without a position, so it needs one behind them, and they need positions, too.
        volume.addToChapters(try Self.chapter("c", in: context))
        #expect(Self.titles(volume) == "abmnc")
        #expect(volume.chapters.allSatisfy { $0.place != nil })
        context.rollback()
        #expect(Self.titles(volume) == "abmn")
        volume.moveInChapters(from: 3, to: 1)
        #expect(Self.titles(volume) == "anbm")
        #expect(volume.chapters.map { $0.place == nil } == [false, false, false, true])
        let last = try context.insert(Chapter.self, id: RecordID(high: .max, low: .max))
        volume.addToChapters(last)
        #expect(volume.chapters.last === last && last.place == nil)
    }

    @Test func aMoveIsUndone() throws {
        let library = try Self.library()
        let context = library.context()
        context.undoHistory = UndoHistory()
        let volume = try context.group("make") { try Self.volume("abc", in: context) }
        try context.save()
        context.group("move") { volume.moveInChapters(from: 0, to: 2) }
        try context.save()
        try context.undo()
        #expect(Self.titles(volume) == "abc")
        try context.redo()
        #expect(Self.titles(volume) == "bca")
    }

    @Test func aPositionMayBeSetByHand() throws {
        let library = try Self.library()
        let context = library.context()
        let volume = try Self.volume("abc", in: context)
        let first = volume.chapters[0]
        first.place = volume.chapters[2].place
        #expect(Self.titles(volume) == "bac")
        first.place = nil
        #expect(Self.titles(volume) == "bca")
        first.place = "not a key"
        volume.addToChapters(try Self.chapter("d", in: context))
        #expect(Self.titles(volume).hasSuffix("d"))
    }

    @Test func placesThatAreNotThereAreRefused() throws {
        let library = try Self.library()
        let context = library.context()
        let volume = try Self.volume("ab", in: context)
        for index in [-1, 3] {
            let error = #expect(throws: ObjectError.self) {
                try volume.insert(try Self.chapter("x", in: context), into: "chapters", at: index)
            }
            #expect(error?.code == .invalidRequest)
        }
        #expect(throws: ObjectError.self) { try volume.move(in: "chapters", from: 0, to: 2) }
        volume.moveInChapters(from: 2, to: 0)
        #expect(context.failure?.code == .invalidRequest)
        #expect(Self.titles(volume) == "ab")
        let passport = try context.insert(Passport.self)
        let error = #expect(throws: ObjectError.self) {
            try passport.insert(try context.insert(Visa.self), into: "visas", at: 0)
        }
        #expect(error?.message.contains("has no order") == true)
    }

    @Test func aMoveElsewhereIsMergedWithAnEditHere() throws {
        let library = try Self.library()
        let writer = library.context()
        let volume = try Self.volume("abc", in: writer)
        try writer.save()
        let (here, there) = (library.context(), library.context())
        let mine = try again(volume, in: here)
        mine.chapters[0].title = "A"
        try again(volume, in: there).moveInChapters(from: 0, to: 2)
        try there.save()
        try here.save()
        #expect(Self.titles(mine) == "bcA")
        mine.addToChapters(try Self.chapter("d", in: here))
        #expect(Self.titles(mine) == "bcAd")
    }

    @Test func documentsKeepTheOrder() throws {
        let document = try ObjectDocument(Schema(json: RegistrySchema.text), classes: RegistrySchema.classes)
        let volume = try Self.volume("abc", in: document.context)
        volume.moveInChapters(from: 2, to: 0)
        try document.context.save()
        let other = ObjectContext(document.context.coordinator)
        #expect(Self.titles(try again(volume, in: other)) == "cab")
    }
}
