import Objects
import Replica
import RoostModel
import Testing

/// The delete rules of a single end, and the effect of a delete on the stored side.
@Suite struct OneToOneDeleteRuleTests {
    private static func schema(_ rule: String) -> String {
        """
        {"format": 1, "name": "rules", "version": 1, "entities": [
          {"id": 1, "name": "Holder", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 2, "name": "badge", "kind": "toMany", "destination": "Badge", "inverse": "holder", "single": true,
             "deleteRule": "\(rule)"}]},
          {"id": 2, "name": "Badge", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 2, "name": "holder", "kind": "toOne", "destination": "Holder", "inverse": "badge"}]}]}
        """
    }

    @Test(arguments: ["nullify", "cascade", "deny", "noAction"]) func theHolderGoes(_ rule: String) throws {
        let library = try TestLibrary(Self.schema(rule))
        let context = library.context()
        let ana = try context.make("Holder", "Ana")
        let badge = try context.make("Badge", "1", ["holder": ana])
        try context.save()
        try context.delete(ana)
        #expect(badge.isDeleted == (rule == "cascade"))
        guard rule != "deny" else {
            let error = #expect(throws: ObjectError.self) { try context.save() }
            #expect(error?.code == .denied)
            return
        }
        #expect(try badge.object("holder") == nil)
        try context.save()
        #expect(try library.count("badge") == (rule == "cascade" ? 0 : 1))
        #expect(try library.count("badge", "holder IS NOT NULL") == (rule == "noAction" ? 1 : 0))
    }

    @Test(arguments: ["nullify", "cascade", "deny", "noAction"]) func whatItNamesGoes(_ rule: String) throws {
        let library = try TestLibrary(Self.schema(rule))
        let context = library.context()
        let ana = try context.make("Holder", "Ana")
        let old = try context.make("Badge", "1", ["holder": ana])
        try context.save()
        try context.delete(old)
        #expect(try ana.object("badge") == nil)
        // A deleted badge does not lose its holder.
        try ana.set("badge", to: try context.make("Badge", "2"))
        try context.save()
        #expect(try ana.object("badge")?.label == "2")
        try library.replica.write("undelete") { try $0.undelete("Badge", id: old.objectID.record) }
        try context.refresh()
        #expect(try ana.objects("badge").map(\.label) == ["1", "2"])
        #expect(try ana.object("badge")?.label == "2")
    }
}
