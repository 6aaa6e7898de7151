internal import CekikapeyeModel
package import CekikapeyeRules
internal import Foundation
internal import Objects
package import Replica
internal import RoostModel

/// A group's book of expenses in one replica: everything the application does, with no terminal and no network.
///
/// Each operation has objects of its own: what it has not saved when it fails ends with it.
package struct ExpenseBook: Sendable {
    /// Where the book is kept.
    package let replica: Replica
    /// The world as it is for the operations of this value.
    package let surroundings: Surroundings
    private let coordinator: StoreCoordinator

    /// Works on an open replica.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica` where it is not a group's.
    package init(replica: Replica, surroundings: Surroundings) throws {
        let names = CekikapeyeSchema.classes.map { $0.entityName }
        guard names.allSatisfy({ replica.schema.entity(named: $0) != nil }) else {
            throw ReplicaError(
                .notAReplica,
                "Cannot open \"\(replica.path)\": it is a replica of \"\(replica.schema.name)\", not a group's expenses. "
                    + "Name another file with --group.")
        }
        self.replica = replica
        self.surroundings = surroundings
        coordinator = try StoreCoordinator(replica, classes: CekikapeyeSchema.classes)
    }

    /// Makes a replica file with a group and its people.
    ///
    /// - Parameters:
    ///   - path: Where; there must be nothing yet but what an interrupted attempt has left.
    ///   - people: Their names, each once; several to a text with commas.
    /// - Throws: ``BookError`` before a file is made; ``ReplicaError`` with no file left behind.
    package static func create(
        at path: String, name: String, currency: Currency, people: [String], surroundings: Surroundings
    ) throws -> ExpenseBook {
        let title = try PersonName.checked(name)
        let names = try PersonName.checkedDistinct(Self.names(in: people), against: [])
        let schema = try Schema(json: CekikapeyeSchema.text)
        removeUnfinished(at: path)
        let book = try ExpenseBook(replica: Replica.create(at: path, schema: schema), surroundings: surroundings)
        let objects = book.objects()
        let group = try objects.insert(GroupSettings.self, id: GroupInfo.recordID)
        group.name = title
        group.currency = currency.code
        group.exponent = Int64(currency.exponent)
        for name in names { try book.insertPerson(name, id: surroundings.makeID(), into: objects) }
        try objects.save("new \(title)")
        return book
    }

    /// Refuses a file that an interrupted "new" or "join" has left: it would look like a group without a name that is on no server.
    ///
    /// - Throws: ``BookError/joinInterrupted(path:)``.
    package func checkIsMade() throws {
        guard try group() == nil, try Self.isUnfinished(replica) else { return }
        throw BookError.joinInterrupted(path: replica.path)
    }

    /// Whether a file is what an interrupted "new" or "join" has left: it holds nothing and belongs to no server.
    package static func isUnfinished(at path: String) -> Bool {
        do {
            let replica = try Replica(opening: path)
            defer { try? replica.close() }
            return try isUnfinished(replica)
        } catch let error as ReplicaError where error.code == .notAReplica {
            return Replica.isBlankFile(at: path) || UnfinishedReplica.isLeft(at: path)
        } catch {
            return false
        }
    }

    /// Removes what an interrupted "new" or "join" has left at a path; nothing is in it. Any other file stays.
    package static func removeUnfinished(at path: String) {
        guard FileManager.default.fileExists(atPath: path), isUnfinished(at: path) else { return }
        for ending in ["", "-wal", "-shm", "-sync", "-token"] {
            try? FileManager.default.removeItem(atPath: path + ending)
        }
    }

    private static func isUnfinished(_ replica: Replica) throws -> Bool {
        try replica.membership() == nil && replica.log(limit: 1).isEmpty
    }

    /// Undoes the last step made on this device that is not undone yet.
    ///
    /// - Returns: What the step was called; `nil` where there is none.
    /// - Throws: ``ReplicaError`` where others have changed or built on what it wrote; ``BookError/groupStays`` where it made the group.
    ///   Nothing is changed then.
    package func undo() throws -> String? {
        var refusal: BookError?
        do { return try undo { refusal = $0 } } catch { throw refusal ?? error }
    }

    /// - Parameter refuse: Takes the reason before the replica's own error of the failed transaction is thrown.
    private func undo(_ refuse: (BookError) -> Void) throws -> String? {
        try replica.undo { deleted in
            guard deleted.contains(where: { $0.id == GroupInfo.recordID }) else { return }
            refuse(.groupStays)
            throw BookError.groupStays
        }
    }

    /// Redoes the step that was undone last, unless another has been made since.
    ///
    /// - Returns: What the step was called; `nil` where there is none.
    /// - Throws: ``ReplicaError`` where others have changed what it wrote; nothing is changed then.
    package func redo() throws -> String? { try replica.redo() }

    /// The names in typed texts, of which one may hold several with commas: `Ana,Bob` is two people.
    package static func names(in texts: [String]) -> [String] { PersonName.separated(texts) }

    /// The objects of one operation.
    func objects() -> ObjectContext { ObjectContext(coordinator) }

    @discardableResult
    func insertPerson(_ name: String, id: RecordID, into objects: ObjectContext) throws -> Person {
        let person = try objects.insert(Person.self, id: id)
        person.name = name
        person.active = true
        person.createdAt = surroundings.moment
        return person
    }
}
