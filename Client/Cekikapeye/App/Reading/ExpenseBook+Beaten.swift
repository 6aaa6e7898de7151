internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// Returns the last changes of this device that later ones have replaced. It omits changes with identical
    /// content, such as those of two devices that record one payment, and those whose replacement has not arrived.
    ///
    /// - Parameter count: The number of replaced changes that the last synchronisation reported.
    package func beaten(last count: Int) throws -> [BeatenChange] {
        let json = RecordJSON(replica.schema)
        let devices = try replica.devices()
        let entries = try replica.journal().filter { $0.outcome == .beaten }.suffix(count)
        return try entries.compactMap { entry in
            guard let ordinal = entry.ordinal else { return nil }
            let isDeleted = try replica.deleted().contains { $0.key == entry.key }
            let content = isDeleted ? nil : try replica.content(of: entry.key)
            guard content != entry.put else { return nil }
            return BeatenChange(
                ordinal: ordinal, own: entry.put.map { version($0, entry.key, json) },
                standing: content.map { version($0, entry.key, json) },
                device: entry.by.flatMap { devices[$0.replica] })
        }
    }

    /// Reads the title and the amount from a record's content.
    func version(_ put: [UInt8], _ key: RecordKey, _ json: RecordJSON) -> BeatenChange.Version {
        version(try? json.object(put, of: key.entity), isSpending: json.name(of: key.entity) == Spending.entityName)
    }

    func version(_ object: JSONValue?, isSpending: Bool) -> BeatenChange.Version {
        let currency = object?["currency"]?.stringValue.flatMap { try? Currency(code: $0) }
        let units = isSpending ? object?["amount"]?.integerOrText : nil
        let amount = units.flatMap { units in currency.map { Money(minorUnits: units, currency: $0) } }
        return BeatenChange.Version(
            title: object?[isSpending ? "content" : "name"]?.stringValue ?? "", amount: amount)
    }
}
