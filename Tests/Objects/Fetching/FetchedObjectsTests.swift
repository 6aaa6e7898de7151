import Objects
import Replica
import RoostModel
import Testing

@Suite struct FetchedObjectsTests {
    /// Makes 1,000 authors, and a context that has not read any of them.
    private func filled() throws -> (TestLibrary, ObjectContext, FetchRequest<ManagedObject>) {
        let library = try TestLibrary()
        let writer = library.context()
        for number in 0..<1000 { try writer.make("Author", String(number)) }
        try writer.save()
        return (library, library.context(), FetchRequest("Author"))
    }

    @Test func objectsAreReadAsTheyAreLookedAt() throws {
        let (library, context, request) = try filled()
        defer { _ = library }
        let authors = try context.fetchInBatches(request)
        let before = context.readCount
        #expect(authors.count == 1000)
        #expect(authors[5].label == "5")
        #expect(authors[99].label == "99")
        #expect(context.readCount - before == 1)
        #expect(authors[999].label == "999")
        #expect(authors[5].label == "5")
        #expect(context.readCount - before == 2)
        #expect(authors.map(\.label) == (0..<1000).map(String.init))
    }

    @Test func onlyTwoBatchesAreKept() throws {
        let (library, context, request) = try filled()
        defer { _ = library }
        let authors = try context.fetchInBatches(request)
        for place in stride(from: 0, to: 1000, by: 100) { #expect(authors[place].label == String(place)) }
        #expect(context.registeredCount == 200)
    }

    @Test func whatIsGoneIsGivenAsDeleted() throws {
        let (library, context, request) = try filled()
        let authors = try context.fetchInBatches(request)
        try library.replica.write("elsewhere") { try $0.delete("Author", id: authors.ids[3].record) }
        #expect(authors[3].isDeleted)
        #expect(authors[3].label == "")
        #expect(authors[4].label == "4")
        #expect(context.failure == nil)
    }
}
