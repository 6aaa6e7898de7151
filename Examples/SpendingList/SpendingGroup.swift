import Objects

/// Who takes part, and what they spend. Each step can be undone.
final class SpendingGroup {
    let context: ObjectContext

    init(_ coordinator: StoreCoordinator) {
        context = ObjectContext(coordinator)
        context.undoHistory = UndoHistory()
    }

    /// The person of a name, made where there is none.
    func person(_ name: String) throws -> Person {
        if let known = try context.fetch(FetchRequest<Person>(where: \.name == name, limit: 1)).first { return known }
        let person = try context.insert(Person.self)
        person.name = name
        return person
    }

    /// Notes what somebody paid, as one step with the person where that is new, and saves it.
    ///
    /// - Parameter amount: In the smallest unit of the currency.
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

    /// Takes the last step back, and saves that.
    ///
    /// - Returns: The name of the step; `nil` where there is none.
    func undo() throws -> String? {
        guard let report = try context.undo() else { return nil }
        try context.save("undo \(report.name)")
        return report.name
    }
}
