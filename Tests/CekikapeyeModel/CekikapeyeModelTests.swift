import CekikapeyeModel
import Foundation
import Objects
import RoostModel
import SchemaGenerator
import Testing

@Suite struct CekikapeyeModelTests {
    private static func file(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    @Test func generatingAgainGivesTheSameBytes() throws {
        let schema = try Schema(json: Self.file("Client/Cekikapeye/cekikapeye.schema.json"))
        let source = SwiftGenerator.source(for: schema, accessLevel: .package)
        #expect(try source == Self.file("Client/Cekikapeye/Model/CekikapeyeModel.swift"))
    }

    @Test func textIsThatOfTheSchemaFile() throws {
        #expect(try CekikapeyeSchema.text == Self.file("Client/Cekikapeye/cekikapeye.schema.json"))
        #expect(try Schema(json: CekikapeyeSchema.text).version == CekikapeyeSchema.version)
    }

    @Test func nothingIsWarnedOf() throws {
        #expect(try Schema(json: CekikapeyeSchema.text).warnings() == [])
    }

    @Test func everyEntityHasItsClass() throws {
        let schema = try Schema(json: CekikapeyeSchema.text)
        #expect(CekikapeyeSchema.classes.map { $0.entityName } == schema.entities.map(\.name))
    }

    @Test func objectsComeBackAsTheyWereSaved() throws {
        let schema = try Schema(json: CekikapeyeSchema.text)
        let coordinator = try StoreCoordinator([.inMemory(schema)], classes: CekikapeyeSchema.classes)
        let writer = ObjectContext(coordinator)
        let ana = try writer.insert(Person.self)
        ana.name = "Ana"
        let pizza = try writer.insert(Spending.self)
        pizza.content = "Pizza"
        pizza.amount = 42_50
        pizza.currency = "EUR"
        pizza.date = "2026-07-14"
        pizza.split = #"{"mode":"even"}"#
        pizza.person = ana
        try writer.save()
        let reader = ObjectContext(coordinator)
        let read = try #require(reader.fetch(FetchRequest<Person>()).first)
        #expect(read.name == "Ana" && read.active && read.createdAt == nil)
        let spending = try #require(read.spendings.first)
        #expect(spending.content == "Pizza" && spending.amount == 42_50 && spending.date == "2026-07-14")
        #expect(spending.exponent == 2 && spending.kind == "expense" && spending.category == nil)
    }
}
