import Objects
import Replica
import RoostModel
import Testing

/// One-to-one relationships in the object layer: `Holder.passport` is single, `Passport.holder` is stored.
@Suite struct OneToOneTests {
    static func registry(_ text: String = RegistrySchema.text) throws -> TestLibrary {
        try TestLibrary(text, classes: text == RegistrySchema.text ? RegistrySchema.classes : [])
    }

    static func holder(_ name: String, in context: ObjectContext) throws -> Holder {
        let holder = try context.insert(Holder.self)
        holder.name = name
        return holder
    }

    static func passport(_ number: String, of holder: Holder? = nil, in context: ObjectContext) throws -> Passport {
        let passport = try context.insert(Passport.self)
        passport.number = number
        passport.holder = holder
        return passport
    }

    @Test func settingEitherSideMaintainsTheOther() throws {
        let library = try Self.registry()
        let context = library.context()
        let (ana, bob) = (try Self.holder("Ana", in: context), try Self.holder("Bob", in: context))
        let (one, two) = (try Self.passport("1", of: ana, in: context), try Self.passport("2", in: context))
        #expect(ana.passport === one)
        bob.passport = one
        #expect(ana.passport == nil && one.holder === bob)
        bob.passport = two
        #expect(one.holder == nil && two.holder === bob)
        one.holder = bob
        #expect(bob.passport === one && two.holder == nil)
        bob.passport = nil
        #expect(one.holder == nil && bob.passport == nil)
        #expect(context.failure == nil)
    }

    @Test func everythingGoesByNameToo() throws {
        let library = try TestLibrary(RegistrySchema.text)
        let context = library.context()
        let ana = try context.make("Holder", "Ana")
        let (one, two) = (try context.insert("Passport"), try context.insert("Passport"))
        try ana.set("passport", to: one)
        try ana.add(two, to: "passport")
        #expect(try ana.object("passport") === two && one.object("holder") == nil)
        #expect(try ana.objectID(of: "passport") == two.objectID)
        #expect(try ana.objects("passport") == [two])
        try ana.remove(two, from: "passport")
        #expect(try ana.object("passport") == nil)
        #expect(throws: ObjectError.self) { try ana.value(of: "passport") }
        #expect(throws: ObjectError.self) { try ana.set("passport", to: ana) }
    }

    @Test func aHolderThatIsNotLoadedLosesIt() throws {
        let library = try Self.registry()
        let writer = library.context()
        let ana = try Self.holder("Ana", in: writer)
        let (one, two) = (try Self.passport("1", of: ana, in: writer), try Self.passport("2", in: writer))
        try writer.save()
        let context = library.context()
        let mine = try #require(try context.object(with: two.objectID) as? Passport)
        mine.holder = try context.object(with: ana.objectID) as? Holder
        #expect(context.updatedObjects.map(\.objectID) == [one.objectID, two.objectID])
        try context.save()
        #expect(try library.count("passport", "holder IS NULL AND number = '1'") == 1)
        #expect(try library.count("passport", "holder IS NOT NULL AND number = '2'") == 1)
    }

    @Test func takingAwayIsUndoneWithTheEditThatDidIt() throws {
        let library = try Self.registry()
        let writer = library.context()
        let (ana, bob) = (try Self.holder("Ana", in: writer), try Self.holder("Bob", in: writer))
        let one = try Self.passport("1", of: ana, in: writer)
        let two = try Self.passport("2", of: bob, in: writer)
        try writer.save()
        let context = library.context()
        context.undoHistory = UndoHistory()
        let mine = try #require(try context.object(with: ana.objectID) as? Holder)
        try context.group("swap") { mine.passport = try context.object(with: two.objectID) as? Passport }
        try context.save()
        try context.undo()
        try context.save()
        for (holder, passport) in [(ana, one), (bob, two)] {
            let again = try #require(try context.object(with: holder.objectID) as? Holder)
            #expect(again.passport?.objectID == passport.objectID)
        }
        try context.redo()
        #expect(mine.passport?.objectID == two.objectID)
        #expect((try context.object(with: bob.objectID) as? Holder)?.passport == nil)
        #expect((try context.object(with: one.objectID) as? Passport)?.holder == nil)
    }

    /// Two contexts each give Ana a passport. Both then show one passport, and both list the two.
    @Test func ofSeveralTheOneMadeLastShows() throws {
        let library = try Self.registry()
        let writer = library.context()
        let ana = try Self.holder("Ana", in: writer)
        try writer.save()
        let (here, there) = (library.context(), library.context())
        let (mine, theirs) = (
            try #require(try here.object(with: ana.objectID) as? Holder),
            try #require(try there.object(with: ana.objectID) as? Holder)
        )
        let first = try here.insert(Passport.self, id: RecordID(high: 1, low: 1))
        let second = try there.insert(Passport.self, id: RecordID(high: 1, low: 2))
        (first.number, second.number) = ("1", "2")
        theirs.passport = second
        mine.passport = first
        for context in [there, here] { try context.save() }
        for context in [there, here] {
            try context.refresh()
            let holder = try #require(try context.object(with: ana.objectID) as? Holder)
            #expect(holder.passport?.objectID == second.objectID)
            #expect(try holder.objects("passport").map(\.objectID) == [first.objectID, second.objectID])
            let several = FetchRequest<Holder>(where: try FetchPredicate(format: "passport.@count > 1"))
            #expect(try context.fetch(several) == [holder])
        }
        // Setting a passport again resolves the ambiguity.
        mine.passport = first
        #expect(try mine.objects("passport") == [first])
        try here.save()
        #expect(try library.count("passport", "holder IS NOT NULL") == 1)
    }

    @Test func settingTheStoredSideOnceMoreDecidesToo() throws {
        let library = try Self.registry()
        let context = library.context()
        let ana = try Self.holder("Ana", in: context)
        let (one, two) = (try Self.passport("1", in: context), try Self.passport("2", in: context))
        try context.save()
        _ = try context.updateAll(FetchRequest<Passport>(), ["holder": .data(ana.objectID.record.bytes)])
        #expect(ana.passport === two)
        one.holder = ana
        #expect(two.holder == nil && ana.passport === one)
    }

    /// A required reference can be cleared, but not saved without a value.
    @Test func whatLosesARequiredHolderHasToGo() throws {
        let library = try Self.registry()
        let context = library.context()
        let ana = try Self.holder("Ana", in: context)
        let old = try context.insert(Locker.self)
        (old.number, old.holder) = ("1", ana)
        try context.save()
        let new = try context.insert(Locker.self)
        new.number = "2"
        ana.locker = new
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .validation)
        #expect(error?.message.contains("\"holder\" names no object. Set it to one.") == true)
        try context.delete(old)
        try context.save()
        #expect(ana.locker === new)
        #expect(try library.count("locker") == 1)
    }

    @Test func anObjectOfAnotherContextIsNotSet() throws {
        let library = try Self.registry()
        let (context, other) = (library.context(), library.context())
        let ana = try Self.holder("Ana", in: context)
        let one = try Self.passport("1", of: ana, in: context)
        ana.passport = try Self.passport("2", in: other)
        #expect(context.failure?.code == .foreignObject)
        #expect(ana.passport === one)
    }

    @Test func aSingleEndOfItsOwnEntityMakesAChain() throws {
        let library = try Self.registry()
        let context = library.context()
        let holders = try ["a", "b", "c"].map { try Self.holder($0, in: context) }
        holders[0].pupil = holders[1]
        holders[2].mentor = holders[1]
        #expect(holders[0].pupil?.pupil === holders[2])
        holders[0].pupil = holders[2]
        #expect(holders[1].mentor == nil && holders[1].pupil == nil && holders[2].mentor === holders[0])
    }

    @Test func aChildContextSetsAndGivesUp() throws {
        let library = try Self.registry()
        let context = library.context()
        let ana = try Self.holder("Ana", in: context)
        let (one, two) = (try Self.passport("1", of: ana, in: context), try Self.passport("2", in: context))
        let form = ObjectContext(childOf: context)
        let mine = try #require(try form.object(with: ana.objectID) as? Holder)
        mine.passport = try form.object(with: two.objectID) as? Passport
        #expect(ana.passport === one)
        try form.save()
        #expect(ana.passport === two && one.holder == nil)
    }

    @Test func aDocumentKeepsIt() throws {
        let document = try ObjectDocument(Schema(json: RegistrySchema.text), classes: RegistrySchema.classes)
        let ana = try Self.holder("Ana", in: document.context)
        let one = try Self.passport("1", of: ana, in: document.context)
        ana.passport = try Self.passport("2", in: document.context)
        try document.context.save()
        #expect(ana.passport?.number == "2" && one.holder == nil)
        let passports = FetchRequest<Passport>(where: \.holder.passport.number == "2")
        #expect(try ObjectContext(document.context.coordinator).fetch(passports).map(\.number) == ["2"])
    }
}
