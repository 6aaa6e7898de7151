package import RoostModel

/// People and their spendings, equal in every run.
package struct Workload {
    package enum Identifiers: Sendable {
        /// Identifiers as devices make them; here one record per millisecond.
        case timeOrdered
        /// Identifiers as SQLite makes them for programs that provide none.
        case random
    }

    package var people: [Person] = []
    package var spendings: [Spending] = []

    package var count: Int { people.count + spendings.count }

    /// Returns a record in its encoded form by its number. People come first.
    package func put(_ index: Int) -> (key: RecordKey, encoded: [UInt8]) {
        if index < people.count { return (people[index].key, people[index].encoded) }
        let spending = spendings[index - people.count]
        return (spending.key, spending.encoded)
    }

    /// Makes records, of which one in 21 is a person.
    ///
    /// - Parameter count: The number of records, including people.
    package init(count: Int, seed: UInt64, identifiers: Identifiers = .timeOrdered) {
        let people = max(1, count / (Person.spendingsEach + 1))
        self.init(people: people, spendings: count - people, seed: seed, identifiers: identifiers)
    }

    package init(people: Int, spendings: Int, seed: UInt64, identifiers: Identifiers = .timeOrdered) {
        var generator = SplitMix64(state: seed)
        var milliseconds: UInt64 = 1_760_000_000_000
        func identifier() -> RecordID {
            milliseconds += 1
            return switch identifiers {
            case .timeOrdered: RecordID(milliseconds: milliseconds, using: &generator)
            case .random: RecordID(high: generator.next(), low: generator.next())
            }
        }
        self.people = (0..<people).map { Person(id: identifier(), name: "Person \($0)") }
        self.spendings = (0..<spendings).map { index in
            let id = identifier()
            return Self.spending(id, index, of: self.people[index / Person.spendingsEach % people].id, &generator)
        }
    }

    private static func spending(
        _ id: RecordID, _ index: Int, of person: RecordID, _ generator: inout SplitMix64
    ) -> Spending {
        let what = words[Int(generator.next() % UInt64(words.count))]
        let place = places[Int(generator.next() % UInt64(places.count))]
        let day = generator.next() % 28 + 1
        let month = generator.next() % 12 + 1
        return Spending(
            id: id, content: "\(what) \(place) no. \(index % 10_000)", amount: Int64(generator.next() % 20_000),
            currency: index % 10 == 0 ? "USD" : "EUR",
            date: "2026-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)",
            isPaid: generator.next() % 4 == 0, person: person)
    }

    private static let words = ["Dinner", "Museum", "Breakfast", "Train", "Groceries", "Taxi", "Tickets", "Coffee"]
    private static let places = ["in Lisbon", "at the port", "old town", "airport", "for all", "by the sea"]

    /// The schema of the records: two entities, and one to-many relationship that cascades.
    package static let schema = """
        {"format": 1, "name": "benchmark", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 2, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
             "deleteRule": "cascade"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"},
            {"id": 2, "name": "amount", "type": "integer"},
            {"id": 3, "name": "currency", "type": "string"},
            {"id": 4, "name": "date", "type": "date"},
            {"id": 5, "name": "paid", "type": "boolean"}],
           "relationships": [
            {"id": 6, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings",
             "optional": false}]}]}
        """
}
