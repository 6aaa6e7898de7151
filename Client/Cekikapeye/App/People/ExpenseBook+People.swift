internal import CekikapeyeModel
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Adds people, in one transaction.
    ///
    /// - Parameter names: The names. One text may contain several, separated by commas.
    /// - Throws: ``BookError/nameTaken(_:)`` if a person has the name, ignoring case and accents.
    package func addPeople(_ names: [String]) throws -> [Member] {
        let objects = objects()
        let names = try PersonName.checkedDistinct(
            Self.names(in: names), against: roster(of: objects).members.map(\.name))
        let added = try names.map { try insertPerson($0, id: surroundings.makeID(), into: objects) }
        try objects.save("add \(names.joined(separator: ", "))")
        return try added.sorted(by: [.ascending(\.name, .localized)]).compactMap { Member($0) }
    }

    /// Sets whether a person takes part in new expenses by default; nothing else changes.
    ///
    /// - Returns: The person, and whether anything changed. A change is a step that can be undone.
    package func setActive(_ isActive: Bool, person text: String) throws -> (person: Member, isStep: Bool) {
        let (objects, member, person) = try person(named: text)
        person.active = isActive
        let isStep = try objects.save("\(isActive ? "activate" : "deactivate") \(member.name)").isStep
        return (Member(person) ?? member, isStep)
    }

    /// Renames a person.
    ///
    /// - Returns: The person before and after, and whether anything changed. A change is a step that can be undone.
    package func rename(
        person text: String, to newName: String
    ) throws -> (old: Member, new: Member, isStep: Bool) {
        let (objects, member, person) = try person(named: text)
        let others = try roster(of: objects).members.filter { $0.id != member.id }.map(\.name)
        person.name = try PersonName.checkedDistinct([newName], against: others)[0]
        let isStep = try objects.save("rename \(member.name)").isStep
        return (member, Member(person) ?? member, isStep)
    }

    /// Deletes a person, which hides the spendings listed under the person.
    ///
    /// - Returns: The person, and the number of spendings that the delete has hidden.
    package func deletePerson(_ text: String) throws -> (person: Member, hidden: Int) {
        let (objects, member, person) = try person(named: text)
        let all = FetchRequest<Spending>()
        let before = try objects.count(all)
        try objects.delete(person)
        try objects.save("delete \(member.name)")
        return (member, before - (try objects.count(all)))
    }

    private func person(named text: String) throws -> (objects: ObjectContext, member: Member, person: Person) {
        let objects = objects()
        let member = try roster(of: objects).member(named: text)
        guard let person = try objects.object(Person.self, id: member.id) else {
            throw BookError.unknownRecord(text)
        }
        return (objects, member, person)
    }
}

extension SaveReport {
    /// Whether the save wrote anything.
    var isStep: Bool { !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty) }
}
