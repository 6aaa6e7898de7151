import Objects
import Replica
import RoostModel
import Testing

@testable import library_catalogue

@Suite struct CatalogueTests {
    private static func catalogue(_ folder: TripFolder) throws -> Catalogue {
        let replica = try Replica.create(at: folder.path("library.roost"), schema: Schema(json: CatalogueSchema.text))
        let coordinator = try StoreCoordinator(replica, classes: CatalogueSchema.classes)
        try CatalogueStory.fill(ObjectContext(coordinator))
        return Catalogue(context: ObjectContext(coordinator))
    }

    @Test func authorsAndTitlesAreInAlphabeticalOrder() throws {
        let folder = try TripFolder()
        let list = try Self.catalogue(folder).byRelationship()
        #expect(list.map(\.author) == ["Camus", "Echenoz", "Éluard", "Ernaux", "Zola"])
        #expect(list.first?.titles == ["L'Envers et l'Endroit", "L'Étranger (Gallimard)", "La Peste (Gallimard)"])
    }

    @Test func bothWaysGiveTheSameList() throws {
        let folder = try TripFolder()
        let catalogue = try Self.catalogue(folder)
        #expect(try catalogue.byPredicate() == catalogue.byRelationship())
    }

    /// The four queries are for the authors, for their books, for the publishers of the first book read and of the books made
    /// after it, and for the publishers of the books made before it. With predicates, the second query becomes one per
    /// author.
    @Test func byRelationshipTakesFewQueries() throws {
        let folder = try TripFolder()
        let catalogue = try Self.catalogue(folder)
        _ = try catalogue.byRelationship()
        #expect(catalogue.context.readCount == 4)
    }
}
