import RoostModel

/// The record that all rows work with: a uuid, about 24 characters of text, an amount, a currency, a date, a flag and a
/// person.
struct Spending {
    var id: RecordID
    var content: String
    var amount: Int64
    var currency: String
    var date: String
    var isPaid: Bool
    var person: RecordID

    static let entity = EntityID(2)

    var key: RecordKey { RecordKey(entity: Self.entity, id: id) }

    /// The record as it is stored on the server and sent.
    var encoded: [UInt8] {
        let fields: [ContentCoding.Field] = [
            .init(property: PropertyID(1), value: .text(content)),
            .init(property: PropertyID(2), value: .integer(amount)),
            .init(property: PropertyID(3), value: .text(currency)),
            .init(property: PropertyID(4), value: .text(date)),
            .init(property: PropertyID(5), value: .boolean(isPaid)),
        ]
        let person = Put.Reference(relationship: PropertyID(6), target: person)
        return Put(references: [person], content: ContentCoding.encode(fields)).encoded()
    }

    /// The record as a program writes it.
    var values: [String: Value] {
        [
            "content": .text(content), "amount": .integer(amount), "currency": .text(currency), "date": .text(date),
            "paid": .boolean(isPaid), "person": .bytes(person.bytes),
        ]
    }

    /// The record as a pull brings it.
    func state(at stamp: HybridTimestamp) -> RecordState {
        RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: encoded))
    }
}

/// Whom spendings belong to: one person for every 20 of them.
struct Person {
    var id: RecordID
    var name: String

    static let entity = EntityID(1)
    static let spendingsEach = 20

    var key: RecordKey { RecordKey(entity: Self.entity, id: id) }

    var encoded: [UInt8] {
        Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .text(name))])).encoded()
    }

    func state(at stamp: HybridTimestamp) -> RecordState {
        RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: encoded))
    }
}
