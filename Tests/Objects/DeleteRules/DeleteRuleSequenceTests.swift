import Objects
import Replica
import RoostModel
import TestScope
import Testing

/// Deletes that involve more than a parent and its child.
@Suite struct DeleteRuleSequenceTests {
    /// A hidden record keeps others, too (specification §2, 1). The delete is stored, suspended and reported.
    @Test(arguments: [false, true]) func aHiddenRecordHolds(_ isReleased: Bool) throws {
        let library = try TestLibrary()
        let context = library.context()
        let (author, series) = (try context.make("Author", "Ana"), try context.make("Series", "s"))
        let book = try context.make("Book", "A", ["author": author, "series": series])
        try context.save()
        try context.delete(author)
        try context.save()
        try context.delete(series)
        let report = try context.save()
        #expect(report.conflicts == [.init(objectID: series.objectID, outcome: .kept(by: [book.objectID]))])
        #expect(report.deleted == [series.objectID])
        #expect(try context.liveness(of: series.objectID) == .kept(by: [book.objectID]))
        #expect(!series.isDeleted)
        #expect(try context.object(with: series.objectID) === series)
        #expect(try library.context().object(with: series.objectID) != nil)
        guard isReleased else { return }
        try context.undelete("Author", id: author.objectID.record)
        try context.save()
        #expect(try book.object("series") === series)
        try book.set("series", to: nil)
        try context.save()
        #expect(series.isDeleted)
        #expect(try library.count("series") == 0)
    }

    /// The deleted record and its cascade child are both kept, and disappear together.
    @Test func whatHangsOffAKeptRecordGoesWithIt() throws {
        let library = try TestLibrary(
            """
            {"format": 1, "name": "held", "version": 1, "entities": [
              {"id": 1, "name": "Shop", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
                {"id": 2, "name": "orders", "kind": "toMany", "destination": "Order", "inverse": "shop", "deleteRule": "deny"},
                {"id": 3, "name": "shelves", "kind": "toMany", "destination": "Rack", "inverse": "shop",
                 "deleteRule": "cascade"}]},
              {"id": 2, "name": "Order", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
                {"id": 2, "name": "shop", "kind": "toOne", "destination": "Shop", "inverse": "orders"}]},
              {"id": 3, "name": "Rack", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
                {"id": 2, "name": "shop", "kind": "toOne", "destination": "Shop", "inverse": "shelves"}]}]}
            """)
        let context = library.context()
        let shop = try context.make("Shop", "s")
        let (order, rack) = (
            try context.make("Order", "o", ["shop": shop]), try context.make("Rack", "r", ["shop": shop])
        )
        try context.save()
        try library.deleteElsewhere(shop.objectID)
        try context.refresh()
        #expect(try !shop.isDeleted && !rack.isDeleted && order.object("shop") === shop)
        try order.set("shop", to: nil)
        try context.save()
        #expect(shop.isDeleted && rack.isDeleted && !order.isDeleted)
        #expect(try context.liveness(of: rack.objectID) == .hidden(because: shop.objectID))
        #expect(try library.count("rack") == 0)
    }

    /// Two devices each move a folder into the other's one. The newer of the two folders becomes a root on both devices.
    @Test func aCycleOfATreeIsCut() throws {
        let (here, there) = (try TestLibrary(device: 1), try TestLibrary(device: 2))
        let scope = MemoryScope()
        let context = here.context()
        let (a, b) = (try context.make("Folder", "a"), try context.make("Folder", "b"))
        try context.save()
        for library in [here, there] { try scope.synchronise(library.replica) }
        try a.set("parent", to: b)
        try context.save()
        let other = there.context()
        let theirs = try #require(try other.object(with: b.objectID))
        try theirs.set("parent", to: try other.object(with: a.objectID))
        try other.save()
        for library in [there, here, there] { try scope.synchronise(library.replica) }
        try context.refresh()
        #expect(try a.object("parent") === b)
        #expect(try b.object("parent") == nil)
        #expect(try b.objects("children") == [a] && a.objects("children").isEmpty)
        for id in [a.objectID, b.objectID] { #expect(try context.liveness(of: id) == .visible) }
        try other.refresh()
        #expect(try theirs.object("parent") == nil)
        #expect(try theirs.objects("children").map(\.objectID) == [a.objectID])
    }

    /// Two devices make a cycle of cascades without a tree. No record depends on one outside the cycle, so it stays until a
    /// member is deleted.
    @Test func aCycleOfCascadesGoesWithAnyMember() throws {
        let home = try FamilyHome(.selfReference, "cascade")
        let context = home.here.context()
        let (a, b) = (try context.make("Node", "a"), try context.make("Node", "b"))
        try context.save()
        try home.synchronise()
        try a.set("parent", to: b)
        try context.save()
        let other = home.there.context()
        let theirs = try #require(try other.object(with: b.objectID))
        try theirs.set("parent", to: try other.object(with: a.objectID))
        try other.save()
        try home.synchronise()
        try context.refresh()
        #expect(try a.object("parent") === b && b.object("parent") === a)
        try context.delete(a)
        #expect(b.isDeleted)
        try context.save()
        #expect(try context.liveness(of: b.objectID) == .hidden(because: a.objectID))
        try home.synchronise()
        try other.refresh()
        #expect(theirs.isDeleted)
        try other.undelete("Node", id: a.objectID.record)
        try other.save()
        #expect(try !theirs.isDeleted && theirs.object("parent")?.objectID == a.objectID)
    }
}
