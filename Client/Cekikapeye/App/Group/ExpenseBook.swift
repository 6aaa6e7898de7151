internal import CekikapeyeModel
package import CekikapeyeRules
internal import Foundation
internal import Objects
package import Replica
internal import RoostModel

/// A group's book of expenses in one replica: all functions of the application, without terminal and network.
///
/// Each operation has its own object context. Unsaved changes of a failed operation are discarded with it.
package struct ExpenseBook: Sendable {
    /// The replica that stores the book.
    package let replica: Replica
    /// The time, language and other inputs for the operations of this value.
    package let surroundings: Surroundings
    private let coordinator: StoreCoordinator

    /// Opens the book in an open replica.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica` if the replica does not belong to a group.
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

    /// Creates a replica file with a group and its people.
    ///
    /// - Parameters:
    ///   - path: The path of the new file. A file that an interrupted attempt has left is replaced; any other is refused.
    ///   - people: The distinct names of the people. One text may contain several, separated by commas.
    /// - Throws: ``BookError`` before a file is created; ``ReplicaError``, after which no file is left.
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

    /// Checks that the file was not left by an interrupted "new" or "join". Such a file would look like a group
    /// without a name that is on no server.
    ///
    /// - Throws: ``BookError/joinInterrupted(path:)``.
    package func checkIsMade() throws {
        guard try group() == nil, try Self.isUnfinished(replica) else { return }
        throw BookError.joinInterrupted(path: replica.path)
    }

    /// Returns whether a file was left by an interrupted "new" or "join": it has no records and belongs to no server.
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

    /// Removes the file that an interrupted "new" or "join" has left at a path. It contains no data. Any other file stays.
    package static func removeUnfinished(at path: String) {
        guard FileManager.default.fileExists(atPath: path), isUnfinished(at: path) else { return }
        for ending in ["", "-wal", "-shm", "-sync", "-token"] {
            try? FileManager.default.removeItem(atPath: path + ending)
        }
    }

    private static func isUnfinished(_ replica: Replica) throws -> Bool {
        try replica.membership() == nil && replica.log(limit: 1).isEmpty
    }

    /// Undoes the last step that was made on this device and is not undone yet.
    ///
    /// - Returns: The name of the step; `nil` if there is none.
    /// - Throws: ``ReplicaError`` if others have changed what the step wrote, or have added records that refer to it;
    ///   ``BookError/groupStays`` if the step created the group. Nothing is changed then.
    package func undo() throws -> String? {
        var refusal: BookError?
        do { return try undo { refusal = $0 } } catch { throw refusal ?? error }
    }

    /// Undoes the last step, and passes a refusal to the caller.
    ///
    /// - Parameter refuse: Receives the reason before the replica throws its own error for the failed transaction.
    private func undo(_ refuse: (BookError) -> Void) throws -> String? {
        try replica.undo { deleted in
            guard deleted.contains(where: { $0.id == GroupInfo.recordID }) else { return }
            refuse(.groupStays)
            throw BookError.groupStays
        }
    }

    /// Redoes the step that was undone last, unless another step has been made since.
    ///
    /// - Returns: The name of the step; `nil` if there is none.
    /// - Throws: ``ReplicaError`` if others have changed what the step wrote; nothing is changed then.
    package func redo() throws -> String? { try replica.redo() }

    /// Splits typed texts into names at commas: `Ana,Bob` is two people.
    package static func names(in texts: [String]) -> [String] { PersonName.separated(texts) }

    /// Makes the object context of one operation.
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
