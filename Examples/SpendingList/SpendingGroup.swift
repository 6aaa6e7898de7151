import Roost

/// A group of people and their spendings. Each step can be undone.
final class SpendingGroup {
    let context: ObjectContext

    init(_ coordinator: StoreCoordinator) {
        context = ObjectContext(coordinator)
        context.undoHistory = UndoHistory()
    }

    /// Finds the person of a name, or inserts one.
    func person(_ name: String) throws -> Person {
        if let known = try context.fetch(FetchRequest<Person>(where: \.name == name, limit: 1)).first { return known }
        let person = try context.insert(Person.self)
        person.name = name
        return person
    }

    /// Inserts a spending and, if the name is new, its person, as one step, and saves it.
    ///
    /// - Parameter amount: The amount in the smallest unit of the currency.
    func spend(_ amount: Int64, _ currency: String = "EUR", on content: String, by name: String) throws {
        try context.group("Add \(content)") {
            let spending = try context.insert(Spending.self)
            spending.content = content
            spending.amount = amount
            spending.currency = currency
            spending.person = try person(name)
        }
        try context.save("add \(content)")
    }

    /// Undoes the last step, and saves the change.
    ///
    /// - Returns: The name of the step; `nil` if there is none.
    func undo() throws -> String? {
        guard let report = try context.undo() else { return nil }
        try context.save("undo \(report.name)")
        return report.name
    }
}
