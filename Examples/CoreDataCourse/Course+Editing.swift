import Foundation
import Roost

extension Course {
    // MARK: Undo and redo

    func undoAndRedo() throws {
        heading("Undo and redo")
        context.undoHistory = UndoHistory()
        let taxi = try context.fetch(FetchRequest<Spending>(where: \.content == "Taxi"))
        context.group("Double the taxi") { taxi.forEach { $0.amount *= 2 } }
        try context.save()
        show("saved: \(taxi.map(\.line).joined())")
        try context.undo()
        show("undone: \(taxi.map(\.line).joined())")
        try context.redo()
        show("redone: \(taxi.map(\.line).joined())")
        context.rollback()
        context.undoHistory = nil
    }

    // MARK: A form that may be cancelled

    func aForm() throws {
        heading("A form that may be cancelled")
        let ana = try person("Ana")
        let form = ObjectContext(childOf: context)
        let edited = try form.object(Person.self, id: ana.objectID.record)
        edited?.name = "Anna"
        show("in the form \(edited?.name ?? ""), in the list \(ana.name)")
        form.rollback()
        edited?.name = "Ana Lima"
        try form.save()
        try context.save("rename Ana")
        show("after the form: \(ana.name)")
    }

    // MARK: Validation

    func validation() throws {
        heading("Validation")
        let spending = try context.insert(Spending.self)
        spending.amount = -5_00
        do { try context.save() } catch { show(error) }
        context.rollback()
    }

    // MARK: Derived and structured properties

    func derivedProperties() throws {
        heading("Derived and structured properties")
        let taxi = try context.fetch(FetchRequest<Spending>(where: \.content == "Taxi")).first
        taxi?.date = Date(timeIntervalSince1970: 1_785_000_000)
        taxi?.location = Location(city: "Lisbon", latitude: 38.72, longitude: -9.14)
        try context.save("place the taxi")
        show("\(taxi?.price ?? "") in \(taxi?.location?.city ?? "")")
        let day = Date(timeIntervalSince1970: 1_784_950_000)
        let request = FetchRequest<Spending>(where: \.date > day)
        show("dated: \(try context.count(request))")
    }
}

// MARK: Validation

/// Spendings with the checks that a schema cannot express.
nonisolated final class CheckedSpending: Spending {
    struct NotPositive: Error, CustomStringConvertible {
        let description = "\"amount\" is not above 0. Give it what was paid."
    }

    override func validate() throws {
        guard amount > 0 else { throw NotPositive() }
    }
}

// MARK: Derived and structured properties

/// A value that an attribute of JSON holds.
nonisolated struct Location: Codable {
    var city: String
    var latitude: Double
    var longitude: Double
}

nonisolated extension Spending {
    /// The amount as text, as in "12.50 EUR".
    var price: String { Self.price(amount, currency) }

    static func price(_ amount: Int64, _ currency: String) -> String {
        "\(amount / 100).\(String(amount % 100 + 100).dropFirst()) \(currency)"
    }

    /// The place, which the attribute `place` holds as JSON.
    var location: Location? {
        get { place.flatMap { try? JSONDecoder().decode(Location.self, from: Data($0.utf8)) } }
        set { place = newValue.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) } }
    }
}
