import Roost

extension Course {
    // MARK: The model

    func theModel() throws {
        heading("The model")
        for entity in container.coordinator.model.schema.entities {
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            show("\(entity.name): \(names.joined(separator: ", "))")
        }
    }

    // MARK: The stack

    func theStack() throws {
        heading("The stack")
        let count = try context.count(FetchRequest<Person>())
        show("opened with \(count) people, version \(TripSchema.version) of the model")
    }

    // MARK: Insert and save

    func insertAndSave() throws {
        heading("Insert and save")
        let ana = try context.insert(Person.self)
        ana.name = "Ana"
        let dinner = try context.insert(Spending.self)
        dinner.content = "Dinner"
        dinner.amount = 30_00
        dinner.person = ana
        show("to save: \(context.insertedObjects.count) objects")
        try context.save("add Ana and her dinner")
        show("to save: \(context.insertedObjects.count) objects")
    }

    // MARK: -

    /// Saves what the later steps work with.
    func fill() throws {
        for (name, content, amount) in [
            ("Zoé", "Ramen", 12_00), ("Élodie", "Crème brûlée", 6_20), ("Élodie", "Museum", 11_00),
            ("Ana", "Taxi", 12_50),
        ] as [(String, String, Int64)] {
            let known = try context.fetch(FetchRequest<Person>(where: \.name == name, limit: 1)).first
            let person = try known ?? context.insert(Person.self)
            person.name = name
            let spending = try context.insert(Spending.self)
            (spending.content, spending.amount, spending.person) = (content, amount, person)
        }
        try context.save("add the others")
    }

    // MARK: Fetch

    func fetch() throws {
        heading("Fetch")
        let people = try context.fetch(FetchRequest<Person>())
        show("people: \(people.map(\.name).joined(separator: ", "))")
        let count = try context.count(FetchRequest<Spending>())
        show("spendings: \(count)")
    }

    // MARK: Change

    func change() throws {
        heading("Change")
        let request = FetchRequest<Spending>(where: \.content == "Ramen")
        guard let ramen = try context.fetch(request).first else { return }
        ramen.amount = 13_00
        show("changed: \(ramen.changedValues.keys.joined())")
        try context.save("correct Ramen")
        show(ramen.line)
    }

    // MARK: Delete

    func delete() throws {
        heading("Delete")
        let museum = FetchRequest<Spending>(where: \.content == "Museum")
        for spending in try context.fetch(museum) { try context.delete(spending) }
        try context.save("delete Museum")
        show("left: \(try context.fetch(FetchRequest<Spending>()).map(\.content).joined(separator: ", "))")
    }

    // MARK: Settings

    func settings() throws {
        heading("Settings")
        // An identifier made of a name is the same on every device, so all of them share one record.
        let id = RecordID(derivedFrom: ["settings"])
        let settings = try context.object(Settings.self, id: id) ?? context.insert(Settings.self, id: id)
        settings.currency = "CHF"
        try context.save("set the currency")
        show("currency: \(try context.fetch(FetchRequest<Settings>()).map(\.currency).joined())")
    }
}
