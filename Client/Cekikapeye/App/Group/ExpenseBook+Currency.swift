internal import CekikapeyeModel
package import CekikapeyeRules
internal import Objects

extension ExpenseBook {
    /// Sets the default currency of amounts. Existing amounts keep their currency.
    ///
    /// - Returns: Whether anything changed. A change is a step that can be undone.
    /// - Throws: ``BookError/noGroup`` or ``BookError/groupDeleted``.
    package func setCurrency(_ currency: Currency) throws -> Bool {
        let objects = objects()
        _ = try roster(of: objects)
        guard let group = try objects.object(GroupSettings.self, id: GroupInfo.recordID) else {
            throw BookError.noGroup
        }
        group.currency = currency.code
        group.exponent = Int64(currency.exponent)
        return try objects.save("currency \(currency.code)").isStep
    }
}
