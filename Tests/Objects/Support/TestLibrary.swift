import Foundation
import Objects
import Replica
import RoostModel
import TestSupport

/// A replica in a separate folder, with entities for every kind of relationship and every delete rule:
///
/// - `Author.books` cascade, `Book.author`;
/// - `Shelf.books` nullify, `Book.shelf`;
/// - `Series.books` deny, `Book.series`;
/// - `Reader.notes` noAction, `Note.reader`;
/// - `Book.tags` and `Tag.books`, many to many;
/// - `Note.book`, cascade from `Book.notes`: two levels below an author;
/// - `Folder.parent`, a tree.
final class TestLibrary {
    let replica: Replica
    let coordinator: StoreCoordinator
    private let folder: URL

    /// - Parameters:
    ///   - schema: The text of another schema.
    ///   - device: The number of the replica, for tests in which several replicas exchange changes.
    init(_ schema: String = LibrarySchema.text, classes: [ManagedObject.Type] = [], device: UInt64? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "objects-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        replica = try Replica.create(
            at: folder.appending(path: "a.sqlite").path, schema: Schema(json: schema), identifiers: .tested,
            durability: .normal)
        if let device {
            try replica.join(
                Membership(
                    scope: ScopeID("00000000-0000-0000-0000-000000000001")!, scopeName: "test",
                    replica: ReplicaID(rawValue: device), server: "http://127.0.0.1:1", token: "none", role: .owner,
                    deviceName: "device \(device)"))
        }
        coordinator = try StoreCoordinator(replica, classes: classes)
    }

    deinit {
        try? replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns the path of a file in the library's folder.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    func context() -> ObjectContext { ObjectContext(coordinator) }

    /// Returns the replica's coordinator, or for every second seed a coordinator of a store in memory.
    func coordinator(of seed: UInt64, classes: [ManagedObject.Type]) throws -> StoreCoordinator {
        seed % 2 == 0 ? coordinator : try StoreCoordinator([.inMemory(replica.schema)], classes: classes)
    }

    /// Returns the number of rows in plain SQL.
    func count(_ table: String, _ condition: String = "1") throws -> Int64 {
        guard case .integer(let number) = try replica.select("SELECT count(*) FROM \(table) WHERE \(condition)")[0][0]
        else {
            return -1
        }
        return number
    }

    /// Applies a delete of another device that is newer than all local changes.
    func deleteElsewhere(_ id: ObjectID) throws {
        let later = UInt64((Date().timeIntervalSince1970 + 60) * 1000)
        let stamp = HybridTimestamp(milliseconds: later, counter: 0, replica: ReplicaID(rawValue: 7))
        let key = RecordKey(entity: id.entity, id: id.record)
        _ = try replica.apply([RecordState(key: key, delete: stamp)], checkpoint: [1], serverTime: nil)
    }

    /// Returns the number of records in the outbox.
    func waiting() throws -> Int64 { try count("roost_outbox") }
}

extension ObjectContext {
    /// Makes an object with a name or title.
    @discardableResult
    func make(
        _ entity: String, _ name: String, _ links: [String: ManagedObject] = [:], into store: StoreID? = nil
    ) throws -> ManagedObject {
        let object = try insert(entity, into: store)
        let property = entity == "Book" ? "title" : entity == "Note" ? "text" : "name"
        try object.set(property, to: .string(name))
        for (relationship, target) in links { try object.set(relationship, to: target) }
        return object
    }
}

extension ManagedObject {
    /// The object's name, title or text.
    var label: String {
        let property = layoutName == "Book" ? "title" : layoutName == "Note" ? "text" : "name"
        guard case .string(let text)? = try? value(of: property) else { return "" }
        return text
    }

    /// The object's name in messages, which have no values.
    var nameInMessages: String { "\(entity.name) \(objectID.record)" }

    private var layoutName: String { entity.name }
}
