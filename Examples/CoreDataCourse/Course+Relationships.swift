import Foundation
import Roost

extension Course {
    // MARK: One to many

    func oneToMany() throws {
        heading("One to many")
        let zoé = try person("Zoé")
        let tea = try context.insert(Spending.self)
        (tea.content, tea.amount) = ("Tea", 4_00)
        zoé.addToSpendings(tea)
        show("Tea was paid by \(tea.person?.name ?? "nobody")")
        tea.person = try person("Ana")
        show("Zoé paid \(zoé.spendings.map(\.content).joined(separator: ", "))")
        try context.save("add Tea")
    }

    // MARK: Many to many

    func manyToMany() throws {
        heading("Many to many")
        let food = try context.insert(Tag.self)
        let lisbon = try context.insert(Tag.self)
        (food.name, lisbon.name) = ("food", "Lisbon")
        for spending in try context.fetch(FetchRequest<Spending>()) where spending.content != "Taxi" {
            spending.addToTags(food)
        }
        try person("Ana").spendings.forEach { lisbon.addToSpendings($0) }
        try context.save("tag spendings")
        for tag in [food, lisbon] {
            show("\(tag.name): \(tag.spendings.map(\.content).sorted().joined(separator: ", "))")
        }
    }

    // MARK: One to one

    func oneToOne() throws {
        heading("One to one")
        let ana = try person("Ana")
        let picture = try context.insert(Picture.self)
        picture.bytes = Data([0x89, 0x50, 0x4E, 0x47])
        ana.picture = picture
        try context.save("add a picture")
        show("a picture of \(picture.person?.name ?? "nobody"), \(picture.bytes.count) bytes")
    }

    // MARK: Delete rules

    func deleteRules() throws {
        heading("Delete rules")
        let meals = try context.insert(Category.self)
        meals.name = "Meals"
        let zoé = try person("Zoé")
        zoé.spendings.forEach { $0.category = meals }
        try context.save("add a category")

        // Deny: a category that has spendings stays.
        try context.delete(meals)
        do { try context.save() } catch { show(error) }
        context.rollback()

        // Cascade: the spendings of a person go with the person, and come back too.
        let ramen = zoé.spendings.first
        try context.delete(zoé)
        try context.save("delete Zoé")
        let all = FetchRequest<Spending>()
        show("without Zoé: \(try context.count(all)) spendings, the ramen is deleted: \(ramen?.isDeleted == true)")
        try context.undelete(Person.self, id: zoé.objectID.record)
        try context.save("undelete Zoé")
        show("with Zoé again: \(try context.count(all)) spendings")
    }
}
