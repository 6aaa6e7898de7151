package import RoostModel

/// The record of all rows: a uuid, about 24 characters of text, an amount, a currency, a date, a flag and a person.
package struct Spending {
    package var id: RecordID
    package var content: String
    package var amount: Int64
    package var currency: String
    package var date: String
    package var isPaid: Bool
    package var person: RecordID

    package init(
        id: RecordID, content: String, amount: Int64, currency: String, date: String, isPaid: Bool, person: RecordID
    ) {
        self.id = id
        self.content = content
        self.amount = amount
        self.currency = currency
        self.date = date
        self.isPaid = isPaid
        self.person = person
    }

    package static let entity = EntityID(2)

    package var key: RecordKey { RecordKey(entity: Self.entity, id: id) }

    /// The record as it is stored on the server and sent.
    package var encoded: [UInt8] {
        let fields: [ContentCoding.Field] = [
            .init(property: PropertyID(1), value: .string(content)),
            .init(property: PropertyID(2), value: .integer(amount)),
            .init(property: PropertyID(3), value: .string(currency)),
            .init(property: PropertyID(4), value: .string(date)),
            .init(property: PropertyID(5), value: .boolean(isPaid)),
        ]
        let person = Put.Reference(relationship: PropertyID(6), target: person)
        return Put(references: [person], content: ContentCoding.encode(fields)).encoded()
    }

    /// The record as a program writes it.
    package var values: [String: Value] {
        [
            "content": .string(content), "amount": .integer(amount), "currency": .string(currency),
            "date": .string(date),
            "paid": .boolean(isPaid), "person": .data(person.bytes),
        ]
    }

    /// Returns the record as a pull delivers it.
    package func state(at stamp: HybridTimestamp) -> RecordState {
        RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: encoded))
    }
}

/// The owner of spendings: one person for every 20 of them.
package struct Person {
    package var id: RecordID
    package var name: String

    package static let entity = EntityID(1)
    package static let spendingsEach = 20

    package var key: RecordKey { RecordKey(entity: Self.entity, id: id) }

    package var encoded: [UInt8] {
        Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])).encoded()
    }

    package func state(at stamp: HybridTimestamp) -> RecordState {
        RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: encoded))
    }
}

extension [Spending] {
    /// Returns spendings that are far apart, different ones in each round. The peers edit the same ones.
    package func scattered(_ number: Int, round: Int) -> [Spending] {
        (0..<number).map { self[($0 * 941 + round * 13) % count] }
    }
}
