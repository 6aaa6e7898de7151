import Foundation
import Objects
import Replica
import RoostModel
import Testing

/// Attributes of generated classes, and the classes of coordinators and contexts.
@Suite struct TypedObjectTests {
    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let date = Date(timeIntervalSince1970: 1_784_021_400.125)

    private static func samples() throws -> TestLibrary {
        try TestLibrary(SamplesSchema.text, classes: SamplesSchema.classes)
    }

    /// Sets every attribute.
    private static func fill(_ sample: Sample) {
        sample.text = "é"
        sample.whole = .min
        sample.real = 0.1
        sample.truth = true
        sample.day = "2026-07-14"
        sample.instant = date
        sample.code = uuid
        sample.bytes = Data([0, 255])
        sample.facts = #"{"a":[1]}"#
        sample.maybeText = ""
        sample.maybeWhole = 0
        sample.maybeReal = -0.5
        sample.maybeTruth = false
        sample.maybeDay = "2000-02-29"
        sample.maybeInstant = Date(timeIntervalSince1970: -1)
        sample.maybeCode = uuid
        sample.maybeBytes = Data()
        sample.maybeFacts = "null"
    }

    private static func expectFilled(_ sample: Sample) {
        #expect(sample.text == "é")
        #expect(sample.whole == .min)
        #expect(sample.real == 0.1)
        #expect(sample.truth)
        #expect(sample.day == "2026-07-14")
        #expect(sample.instant == date)
        #expect(sample.code == uuid)
        #expect(sample.bytes == Data([0, 255]))
        #expect(sample.facts == #"{"a":[1]}"#)
        #expect(sample.maybeText == "")
        #expect(sample.maybeWhole == 0)
        #expect(sample.maybeReal == -0.5)
        #expect(sample.maybeTruth == false)
        #expect(sample.maybeDay == "2000-02-29")
        #expect(sample.maybeInstant == Date(timeIntervalSince1970: -1))
        #expect(sample.maybeCode == uuid)
        #expect(sample.maybeBytes == Data())
        #expect(sample.maybeFacts == "null")
    }

    @Test func everyTypeIsSetAndReadBeforeASave() throws {
        let library = try Self.samples()
        let context = library.context()
        let sample = try context.insert(Sample.self)
        Self.fill(sample)
        Self.expectFilled(sample)
        #expect(context.failure == nil)
    }

    @Test func everyTypeComesBackFromTheStore() throws {
        let library = try Self.samples()
        let writer = library.context()
        Self.fill(try writer.insert(Sample.self))
        try writer.save()
        let context = library.context()
        let samples = try context.fetch(FetchRequest<Sample>())
        #expect(samples.count == 1)
        Self.expectFilled(try #require(samples.first))
    }

    @Test func everyTypeIsBlankBeforeItHasAValue() throws {
        let library = try Self.samples()
        let context = library.context()
        let sample = try context.insert(Sample.self)
        #expect(sample.text == "" && sample.day == "" && sample.facts == "")
        #expect(sample.whole == 0 && sample.real == 0 && !sample.truth)
        #expect(sample.instant == Date(timeIntervalSince1970: 0))
        #expect(sample.code == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(sample.bytes == Data())
    }

    @Test func everyOptionalIsNilBeforeItHasAValue() throws {
        let library = try Self.samples()
        let context = library.context()
        let sample = try context.insert(Sample.self)
        #expect(sample.maybeText == nil && sample.maybeDay == nil && sample.maybeFacts == nil)
        #expect(sample.maybeWhole == nil && sample.maybeReal == nil && sample.maybeTruth == nil)
        #expect(sample.maybeInstant == nil && sample.maybeCode == nil && sample.maybeBytes == nil)
    }

    @Test func optionalThatIsSetToNilIsNil() throws {
        let library = try Self.samples()
        let context = library.context()
        let sample = try context.insert(Sample.self)
        Self.fill(sample)
        sample.maybeText = nil
        sample.maybeInstant = nil
        try context.save()
        #expect(try sample.value(of: "maybe_text") == .null)
        #expect(try library.count("sample", "maybe_text IS NULL AND maybe_instant IS NULL") == 1)
    }

    @Test func blankIsNoValue() throws {
        let library = try Self.samples()
        let context = library.context()
        try context.insert(Sample.self)
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .validation)
        #expect(error?.problems.count == 9)
    }

    @Test func descriptionShowsTheValues() throws {
        let library = try Self.samples()
        let context = library.context()
        let sample = try context.insert(Sample.self)
        Self.fill(sample)
        sample.maybeText = String(repeating: "a", count: 101)
        sample.maybeWhole = nil
        let name = "Sample \(sample.objectID.record)"
        #expect(
            "\(sample)" == """
                \(name) (text: "é", whole: -9223372036854775808, real: 0.1, truth: true, day: "2026-07-14", \
                instant: 2026-07-14T09:30:00.125Z, code: 01020304-0506-0708-090a-0b0c0d0e0f10, bytes: 2 bytes, \
                facts: "{\\"a\\":[1]}", maybe_text: "\(String(repeating: "a", count: 100))"…, maybe_whole: nil, \
                maybe_real: -0.5, maybe_truth: false, maybe_day: "2000-02-29", \
                maybe_instant: 1969-12-31T23:59:59.000Z, maybe_code: 01020304-0506-0708-090a-0b0c0d0e0f10, \
                maybe_bytes: 0 bytes, maybe_facts: "null")
                """)
    }

    /// Errors and messages name objects without their values.
    @Test func messagesShowNoValues() throws {
        let library = try TestLibrary(classes: LibrarySchema.classes)
        let context = library.context()
        let author = try context.insert(Author.self)
        author.name = "secret"
        author.born = "nonsense"
        #expect("\(author)".contains("name: \"secret\""))
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.description.contains("Author \(author.objectID.record)") == true)
        #expect(error?.description.contains("secret") == false && error?.description.contains("nonsense") == false)
        author.born = nil
        let book = try context.insert(Book.self)
        book.title = "secret"
        book.author = author
        try context.save()
        try context.delete(author)
        let deleted = #expect(throws: ObjectError.self) { try book.set("author", to: author) }
        #expect(deleted?.description.contains("Author \(author.objectID.record)") == true)
        #expect(deleted?.description.contains("secret") == false)
    }

    @Test func instantsAreKeptInMilliseconds() throws {
        let library = try Self.samples()
        let context = library.context()
        let sample = try context.insert(Sample.self)
        sample.instant = Date(timeIntervalSince1970: 1.0004)
        #expect(try sample.value(of: "instant") == .integer(1000))
        #expect(sample.instant == Date(timeIntervalSince1970: 1))
    }

    @Test func namesThatAreTakenElsewhereAreOrdinaryAttributes() throws {
        let library = try Self.samples()
        let context = library.context()
        let day = try context.insert(DateRecord.self)
        #expect(day.descriptionProperty == "a \"day\"")
        #expect(day.since == Date(timeIntervalSince1970: 1))
        day.class = "c"
        day.pathProperty = "p"
        day.state = "s"
        day.layout = "l"
        day.addToSubjects = "a"
        try context.save()
        #expect(try library.count("date", "class || path || state || layout || addToSubjects = 'cpsla'") == 1)
    }

    @Test func propertiesHaveTheirNamesInTheSchema() throws {
        #expect(Sample.propertyNames[\Sample.maybeText] == "maybe_text")
        #expect(Book.propertyNames[\Book.author] == "author")
        let schema = try Schema(json: LibrarySchema.text)
        let book = try #require(schema.entity(named: Book.entityName))
        #expect(Set(Book.propertyNames.values) == Set(book.attributes.map(\.name) + book.relationships.map(\.name)))
    }

    @Test func theTextIsTheSchemaOfTheClasses() throws {
        let schema = try Schema(json: LibrarySchema.text)
        #expect(schema.version == LibrarySchema.version)
        #expect(LibrarySchema.classes.map { $0.entityName } == schema.entities.map(\.name))
    }

    // MARK: Unknown classes

    @Test func aClassThatTheCoordinatorDoesNotKnowIsNotFetched() throws {
        let library = try TestLibrary(classes: [Author.self])
        let context = library.context()
        try context.make("Book", "A")
        let error = #expect(throws: ObjectError.self) { try context.fetch(FetchRequest<Book>()) }
        #expect(error?.code == .unknown)
        #expect(error?.message.contains("Give the coordinator that class") == true)
    }

    @Test func aClassThatTheCoordinatorDoesNotKnowIsNotInserted() throws {
        let library = try TestLibrary()
        let context = library.context()
        let error = #expect(throws: ObjectError.self) { try context.insert(Book.self) }
        #expect(error?.code == .unknown)
        #expect(error?.message.contains("Book") == true)
    }

    @Test func aClassOfAnotherSchemaIsRefused() throws {
        let library = try TestLibrary()
        let error = #expect(throws: ObjectError.self) {
            try StoreCoordinator(library.replica, classes: [Book.self, Sample.self])
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("\"samples\"") == true && error?.message.contains("\"library\"") == true)
    }

    // MARK: A store of another version

    @Test func propertiesAreFoundByNumberAndNotByName() throws {
        let text = LibrarySchema.text.replacing("\"name\": \"title\"", with: "\"name\": \"oldTitle\"")
        let library = try TestLibrary(text, classes: [Book.self])
        let context = library.context()
        let book = try context.insert(Book.self)
        book.title = "A"
        try context.save()
        #expect(try library.count("book", "oldTitle = 'A'") == 1)
    }

    /// A class that was written by hand names no schema, so its properties are not compared with those of the store.
    @Test func whatTheStoreDoesNotHaveIsBlankInAClassWithoutASchema() throws {
        let library = try TestLibrary(classes: [HandwrittenBook.self])
        let context = library.context()
        let book = try context.insert(HandwrittenBook.self)
        #expect(book.price == 0 && book.seller == nil && book.reviews == [])
        #expect(context.failure == nil)
        book.price = 7
        #expect(context.failure?.code == .unknown)
    }
}

/// A class whose properties the library does not have.
private final class HandwrittenBook: ManagedObject, TypedObject {
    struct Fields: EntityFields {
        let path: String
        init(path: String) { self.path = path }
    }

    override class var entityName: String { "Book" }

    var price: Int64 {
        get { self[attribute: 50] }
        set { self[attribute: 50] = newValue }
    }
    var seller: Author? { self[object: 51] }
    var reviews: [Note] { self[objects: 52] }
}
