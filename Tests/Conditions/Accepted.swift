// Conditions, orders and updates that compile, each within the work that scripts/conditions allows an expression.
import Foundation
import Objects

func comparisons(_ context: ObjectContext, author: Author, rank: Int, name: String?) throws {
    _ = FetchRequest<Book>(where: \.pages < 3)
    _ = FetchRequest<Book>(where: \.author == author && \.author.name == name && \.rating == nil)
    _ = FetchRequest<Book>(where: \.author != author.objectID && \.pages > \.pages && \.rating > 1)
    _ = FetchRequest<Sample>(where: \.instant < Date() && \.code == UUID() && \.bytes == Data() && \.truth == false)
    _ = FetchRequest<Author>(where: (\Author.Fields.books).any(\.pages > 20_00) && \.name == "x")
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana" && \.rating < 0.5
            && \.lent == true && \.series == nil)
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < rank && \.title != "x" && \.author.name == "Ana"
            && !(\.series.name == "a" || \.series.name == "b") && \.lent == true && \.extra == nil)
}

func everyIntegerType(_ rank: Int, _ some: Int?, _ small: UInt8) {
    _ = FetchRequest<Book>(where: \.pages < rank)
    _ = FetchRequest<Book>(where: \.pages == rank && \.pages != rank && \.pages <= rank && \.pages >= small)
    _ = FetchRequest<Book>(where: \.pages == some || \.pages > small)
    _ = FetchRequest<Book>(where: (\Book.Fields.pages).isIn([1, rank]) || (\Book.Fields.pages).isIn(0..<rank))
    _ = FetchRequest<Book>(where: (\Book.Fields.pages).isBetween(1, rank) || (\Book.Fields.pages).isBetween(1..<rank))
    _ = FetchRequest<Book>(where: (\Book.Fields.pages).isBetween(1...rank))
    _ = FetchRequest<Author>(
        where: (\Author.Fields.books).count() > rank && (\Author.Fields.books).sum(\.pages).isBetween(small, rank))
    let updates: [TypedUpdate<Book.Fields>] = [.set(\.pages, to: rank), .set(\.pages, to: small)]
    _ = updates
}

/// Key paths of classes are compared as before.
func pathsOfClasses() -> [Bool] {
    let (pages, any): (KeyPath<Book, Int64>, AnyKeyPath) = (\.pages, \Book.title)
    return [
        \Book.pages == \Book.pages, \Book.pages != pages, any == \Book.title,
        Book.propertyNames[\Book.pages] == "pages", [any].contains(\Book.title),
    ]
}

func properties(_ text: FetchPredicate) {
    var request = FetchRequest<Book>()
    request.predicate = \.pages < 3
    request.predicate =
        \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana" && \.rating < 0.5
        && \.lent == true && \.series == nil
    request.predicate = text
    request.predicate = nil
    request.sortDescriptors = [.ascending(\.author.name, .localized), .descending(\.pages)]
    request.sortDescriptors = [.ascending("author.name"), .descending("pages")]
    request.sortDescriptors = []
    request.sortDescriptors.append(.ascending(\.title))
    if let former = request.predicate { request.predicate = former && \.pages > 3 }
}

func textParts(_ text: FetchPredicate) {
    _ = FetchRequest<Book>(where: text && \.title == "y")
    _ = FetchRequest<Book>(where: \.title == "y" && text && \.pages > 3)
    _ = FetchRequest<Book>(where: text || !(\.title == "y"))
    var request = FetchRequest<Book>(where: text, sortedBy: [.ascending(\.pages)])
    request.predicate = text && \.title == "y"
    request = FetchRequest("Book", where: text || text, sortedBy: [.ascending("pages")])
}

func stepByStep(_ name: String?, _ isLong: Bool, _ text: FetchPredicate) -> FetchRequest<Book> {
    var filter: TypedPredicate<Book.Fields> = .all
    if let name { filter = filter && \.author.name == name }
    if isLong { filter = filter && \.pages > 500 }
    filter = filter && text
    let other = \Book.Fields.pages > 3 && \.title == "x"
    return FetchRequest(where: filter || other)
}

func values(_ context: ObjectContext) throws {
    let all = FetchRequest<Book>().prefetching(\.author, \.tags)
    let titles: [(String?, String?)] = try context.fetchValues(all, \.title, \.author.name)
    let pages: [Int64?] = try context.fetchValues(all, \.pages)
    _ = try context.fetchGroups(all, by: \.author.name, computing: .sum(\.pages), .count(\.rating), .maximum(\.title))
    _ = try context.fetchSections(all, by: \.author, sortedBy: [.ascending(\.author.name)])
    _ = try context.fetchSections(all, by: \.title)
    _ = (titles, pages)
}
