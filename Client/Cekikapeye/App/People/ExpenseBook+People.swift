internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// Adds people, all or none.
    ///
    /// - Throws: ``BookError/nameTaken(_:)`` where somebody has the name, whatever its case and accents.
    package func addPeople(_ names: [String]) throws -> [Member] {
        let members = try contents().members
        let names = try PersonName.checkedDistinct(names, against: members.map(\.name))
        var added: Set<RecordID> = []
        try replica.write("add \(names.joined(separator: ", "))") { transaction in
            for name in names {
                let id = surroundings.makeID()
                added.insert(id)
                try transaction.put(EntityName.person, id: id, values(ofNewPerson: name))
            }
        }
        return try contents().members.filter { added.contains($0.id) }
    }

    /// Says whether new expenses are for a person unless said otherwise; nothing else changes.
    package func setActive(_ isActive: Bool, person text: String) throws -> Member {
        let member = try contents().member(named: text)
        try replica.write("\(isActive ? "activate" : "deactivate") \(member.name)") {
            try $0.put(EntityName.person, id: member.id, ["active": .boolean(isActive)])
        }
        return try contents().member(named: member.id.description)
    }

    /// Gives a person another name.
    package func rename(person text: String, to newName: String) throws -> (old: Member, new: Member) {
        let contents = try contents()
        let member = try contents.member(named: text)
        let others = contents.members.filter { $0.id != member.id }.map(\.name)
        let name = try PersonName.checkedDistinct([newName], against: others)[0]
        try replica.write("rename \(member.name)") {
            try $0.put(EntityName.person, id: member.id, ["name": .text(name)])
        }
        return (member, try self.contents().member(named: member.id.description))
    }

    /// Deletes a person, which hides the spendings listed under them.
    ///
    /// - Returns: The person, and how many spendings are hidden now that were not before.
    package func deletePerson(_ text: String) throws -> (person: Member, hidden: Int) {
        let before = try contents()
        let member = try before.member(named: text)
        try replica.write("delete \(member.name)") { try $0.delete(EntityName.person, id: member.id) }
        return (member, before.spendings.count - (try contents().spendings.count))
    }
}
