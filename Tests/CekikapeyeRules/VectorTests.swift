import CekikapeyeRules
import Foundation
import Testing

/// The published vectors, which a second implementation can be checked against.
struct VectorTests {
    @Test func splitsAreAsPublished() throws {
        let file = try Self.load("split.json", as: SplitVectors.self)
        #expect(file.vectors.count >= 30)
        for vector in file.vectors {
            let split = try Split(json: vector.split)
            let seed = try ExpenseID(vector.expense)
            #expect(split.json == vector.split, "\(vector.name)")
            #expect(Self.texts(try split.paid(of: vector.total, seed: seed)) == vector.paid, "\(vector.name)")
            #expect(Self.texts(try split.consumed(of: vector.total, seed: seed)) == vector.consumed, "\(vector.name)")
        }
    }

    @Test func plansAreAsPublished() throws {
        let file = try Self.load("settle.json", as: SettleVectors.self)
        #expect(file.vectors.count >= 15)
        for vector in file.vectors {
            var balances: [PersonID: Int64] = [:]
            for (person, amount) in vector.balances { balances[try PersonID(person)] = amount }
            let plan = try SettlementPlan(balances: balances, currency: try Currency(code: vector.currency))
            let transfers = plan.transfers.map {
                SettleVectors.Transfer(from: $0.from.text, to: $0.to.text, amount: $0.amount.minorUnits)
            }
            #expect(transfers == vector.transfers, "\(vector.name)")
            #expect(plan.isMinimal == vector.isMinimal, "\(vector.name)")
        }
    }

    private static func texts(_ amounts: [PersonID: Int64]) -> [String: Int64] {
        Dictionary(uniqueKeysWithValues: amounts.map { ($0.key.text, $0.value) })
    }

    private static func load<Vectors: Decodable>(_ name: String, as type: Vectors.Type) throws -> Vectors {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
        return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: name)))
    }
}
