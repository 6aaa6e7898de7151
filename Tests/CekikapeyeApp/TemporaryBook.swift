import CekikapeyeApp
import CekikapeyeRules
import Foundation
import Replica
import RoostModel
import Synchronization

/// A book in a replica file that is deleted with this value.
final class TemporaryBook {
    let book: ExpenseBook
    private let folder: URL

    /// Makes a group in euros. Equal arguments give equal identifiers, as on a second device of the group.
    init(
        _ people: [String] = ["Ana", "Bob", "Chloé"], language: Language = .french, name: String = "Corse 2026"
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "cekikapeye-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        book = try ExpenseBook.create(
            at: folder.appending(path: "group.roost").path, name: name, currency: try Currency(code: "EUR"),
            people: people, surroundings: Self.surroundings(language))
    }

    deinit {
        try? book.replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    var path: String { folder.appending(path: "group.roost").path }

    /// Returns the balances in one currency by name, in minor units.
    func balances(_ code: String = "EUR") throws -> [String: Int64] {
        let page = try BalanceSheet(try book.contents()).pages.first { $0.currency.code == code }
        let lines = page?.lines.map { ($0.name, $0.balance.minorUnits) } ?? []
        return Dictionary(lines, uniquingKeysWith: +)
    }

    /// Adds a spending that Ana pays for everyone, unless the closure changes that.
    @discardableResult
    func add(
        _ amount: String, _ title: String = "courses", _ change: (inout AddRequest) -> Void = { _ in }
    ) throws -> EnteredSpending {
        var request = AddRequest(amount: amount, title: title)
        request.me = try book.contents().members.first { $0.name.isSameText(as: "Ana") }?.id
        change(&request)
        return try book.add(request)
    }

    /// Returns the amount that each person consumed, by name.
    func consumed(_ entered: EnteredSpending) -> [String: Int64] {
        Dictionary(uniqueKeysWithValues: entered.expense.consumed.map { (entered.contents.name(of: $0.key), $0.value) })
    }

    /// Returns the amount that each person paid, by name.
    func paid(_ entered: EnteredSpending) -> [String: Int64] {
        Dictionary(uniqueKeysWithValues: entered.expense.paid.map { (entered.contents.name(of: $0.key), $0.value) })
    }

    private static func surroundings(_ language: Language) throws -> Surroundings {
        let numbers = IdentifierNumbers()
        return Surroundings(milliseconds: 1_784_000_000_000, today: try Day("2026-07-14"), language: language) {
            RecordID(derivedFrom: ["test", String(numbers.next())])
        }
    }
}

/// A generator of consecutive identifiers.
private final class IdentifierNumbers: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
