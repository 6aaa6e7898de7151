import Foundation
import Objects
import Replica
import RoostModel

@testable import spending_list

/// A folder for replicas of the spendings' schema, removed together with this object.
final class TripFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func replica(_ name: String = "trip.roost") throws -> Replica {
        try Replica.create(at: path(name), schema: Schema(json: SpendingsSchema.text))
    }

    func coordinator() throws -> StoreCoordinator {
        try StoreCoordinator(replica(), classes: SpendingsSchema.classes)
    }
}

extension ObjectContext {
    /// Makes a person with one spending.
    @discardableResult
    func spend(_ amount: Int64, on content: String, by name: String) throws -> Spending {
        let person = try insert(Person.self)
        person.name = name
        let spending = try insert(Spending.self)
        spending.content = content
        spending.amount = amount
        spending.person = person
        return spending
    }
}
