package import CekikapeyeRules
package import Replica
package import RoostModel

/// A group's book of expenses in one replica: everything the application does, with no terminal and no network.
package struct ExpenseBook: Sendable {
    /// Where the book is kept.
    package let replica: Replica
    /// The world as it is for the operations of this value.
    package let surroundings: Surroundings

    /// Works on an open replica.
    package init(replica: Replica, surroundings: Surroundings) {
        self.replica = replica
        self.surroundings = surroundings
    }

    /// Makes a replica file with a group and its people.
    ///
    /// - Parameters:
    ///   - path: Where; there must be nothing yet.
    ///   - people: Their names, each once.
    /// - Throws: ``BookError`` before a file is made; ``ReplicaError`` with no file left behind.
    package static func create(
        at path: String, schema: Schema, name: String, currency: Currency, people: [String],
        surroundings: Surroundings
    ) throws -> ExpenseBook {
        let title = try PersonName.checked(name)
        let names = try PersonName.checkedDistinct(people, against: [])
        let book = ExpenseBook(replica: try Replica.create(at: path, schema: schema), surroundings: surroundings)
        try book.replica.write("new \(title)") { transaction in
            try transaction.put(
                EntityName.group, id: GroupInfo.recordID,
                [
                    "name": .text(title), "currency": .text(currency.code),
                    "exponent": .integer(Int64(currency.exponent)),
                ])
            for name in names {
                try transaction.put(EntityName.person, id: surroundings.makeID(), book.values(ofNewPerson: name))
            }
        }
        return book
    }

    /// Undoes the last step made on this device that is not undone yet.
    ///
    /// - Returns: What the step was called; `nil` where there is none.
    package func undo() throws -> String? { try replica.undo() }

    func values(ofNewPerson name: String) -> [String: Value] {
        ["name": .text(name), "active": .boolean(true), "createdAt": .integer(surroundings.milliseconds)]
    }
}
