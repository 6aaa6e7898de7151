import Foundation
import Roost

extension Course {
    // MARK: A test in memory

    func aTestInMemory() throws {
        heading("A test in memory")
        let container = try ObjectContainer(inMemory: TripSchema.self)
        try container.viewContext.insert(Person.self).name = "Test"
        try container.viewContext.save()
        show("people: \(try container.viewContext.count(FetchRequest<Person>()))")
    }

    // MARK: Several stores

    func severalStores() throws {
        heading("Several stores")
        let schema = try TripSchema.schema()
        let stores = try ["lisbon", "corsica"].map { name in
            try StoreKind.replica(Replica.create(at: path("\(name).roost"), schema: schema))
        }
        let container = try ObjectContainer(TripSchema.self, stores: stores)
        let (context, corsica) = (container.viewContext, container.coordinator.stores[1].id)
        try context.insert(Person.self).name = "Rui"
        try context.insert(Person.self, into: corsica).name = "Lea"
        try context.save()
        var request = FetchRequest<Person>(sortedBy: [.ascending(\.name)])
        show("everywhere: \(try context.fetch(request).map(\.name).joined(separator: ", "))")
        request.stores = [corsica]
        show("in Corsica: \(try context.fetch(request).map(\.name).joined(separator: ", "))")
    }

    // MARK: A document

    func aDocument() throws {
        heading("A document")
        let schema = try TripSchema.schema()
        let document = try ObjectDocument(schema, classes: TripSchema.classes)
        try document.context.insert(Person.self).name = "Ana"
        try document.save(as: path("trip.xml"), .xml)
        let opened = try ObjectDocument(opening: path("trip.xml"), schema, classes: TripSchema.classes)
        try opened.context.insert(Person.self).name = "Bob"
        show("people: \(try opened.context.count(FetchRequest<Person>())), edited: \(opened.isEdited)")
        try opened.revert()
        show("people: \(try opened.context.count(FetchRequest<Person>())), edited: \(opened.isEdited)")
    }

    // MARK: Migration

    func migration() throws {
        heading("Migration")
        let replica = try Replica.create(at: path("earlier.roost"), schema: Schema(json: EarlierModel.text))
        try StoreCoordinator(replica).fillEarlier()
        try replica.close()

        let container = try ObjectContainer(TripSchema.self, at: path("earlier.roost"))
        for spending in try container.viewContext.fetch(FetchRequest<Spending>()) { show(spending.line) }
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
}

extension StoreCoordinator {
    /// Saves a spending by the names of the first version, for which the program has no classes any more.
    fileprivate func fillEarlier() throws {
        let context = ObjectContext(self)
        let person = try context.insert("Person")
        try person.set("name", to: .string("Ana"))
        let spending = try context.insert("Spending")
        try spending.set("title", to: .string("Ferry"))
        try spending.set("amount", to: .integer(3_00))
        try spending.set("person", to: person)
        try context.save()
    }
}
