// Conditions, orders and updates that do not compile, with their errors, within the work that scripts/conditions allows an expression.
// `unknown: name` stands for the error at a name that no property has.
import Foundation
import Objects

// MARK: A name that no property has

func unknownNames(_ context: ObjectContext, text: FetchPredicate, author: Author) throws {
    _ = FetchRequest<Book>(where: \.paegs < 3)  // unknown: paegs
    _ = FetchRequest<Book>(where: \.author.nmae == "x")  // unknown: nmae
    _ = FetchRequest<Book>(where: \.auhtor.name == "x")  // unknown: auhtor
    _ = FetchRequest<Book>(where: \.auhtor == author)  // unknown: auhtor
    _ = FetchRequest<Book>(where: text && \.ttile == "y")  // unknown: ttile
    _ = FetchRequest<Book>(where: (\Book.Fields.ttile).contains("x"))  // unknown: ttile
    _ = FetchRequest<Book>(where: (\Book.Fields.paegs).isIn([1, 2]))  // unknown: paegs
    _ = FetchRequest<Book>(where: (\Book.Fields.paegs).isBetween(1...2))  // unknown: paegs
    _ = FetchRequest<Author>(where: (\Author.Fields.books).any(\.paegs > 3) && \.name == "x")  // unknown: paegs
    _ = FetchRequest<Author>(where: (\Author.Fields.boks).count() > 3)  // unknown: boks
    _ = FetchRequest<Author>(where: (\Author.Fields.boks).any(\.pages > 3 && \.author == author))  // unknown: boks
    _ = FetchRequest<Author>(where: (\Author.Fields.boks).sum(\.pages) > 3)  // unknown: boks
    _ = FetchRequest<Author>(where: (\Author.Fields.books).sum(\.paegs) > 3)  // unknown: paegs
    _ = FetchRequest<Book>(where: \.pages < 3, sortedBy: [.ascending(\.ttile)])  // unknown: ttile
    _ = FetchRequest<Book>().prefetching(\.auhtor)  // unknown: auhtor
    var request = FetchRequest<Book>()
    request.predicate = \.paegs < 3  // unknown: paegs
    request.sortDescriptors = [.ascending(\.ttile)]  // unknown: ttile
    let filter = \Book.Fields.pages > 3 && \.ttile == "x"  // unknown: ttile
    _ = filter
    _ = try context.fetchValues(request, \.ttile, \.pages)  // unknown: ttile
    _ = try context.fetchGroups(request, by: \.author.nmae, computing: .count())  // unknown: nmae
    _ = try context.fetchAggregates(request, .sum(\.paegs), .count())  // unknown: paegs
    _ = try context.fetchSections(request, by: \.auhtor)  // unknown: auhtor
    _ = try context.updateAll(request, [.set(\.ttile, to: "x")])  // unknown: ttile
}

func unknownNamesInLongConditions() {
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana"
            && \.raitng < 0.5  // unknown: raitng
            && \.lent == true && \.series == nil)
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < 10_000 && \.title != "x"
            && \.author.nmae == "Ana"  // unknown: nmae
            && \.rating < 0.5 && \.lent == true && \.series == nil)
    let filter: TypedPredicate<Book.Fields> =
        \.paegs > 1  // unknown: paegs
        && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana" && \.rating < 0.5 && \.lent == true
    var request = FetchRequest<Book>(where: filter)
    request.predicate =
        \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana" && \.rating < 0.5 && \.lent == true
        && \.sereis == nil  // unknown: sereis
}

func namesAfterAnAttributeOrSeveral() {
    // expected-error@+1:43 {{An attribute has no properties.}}
    _ = FetchRequest<Book>(where: \.title.count > 3)
    // expected-error@+1:45 {{A relationship to several has no properties.}}
    _ = FetchRequest<Author>(where: \.books.pages > 3 && \.name == "x")
}

// MARK: A value of another type

func mismatches(_ name: String?) {
    // expected-error@+1:43 {{The value of an integer attribute is a whole number, such as an Int.}}
    _ = FetchRequest<Book>(where: \.pages == "x")
    // expected-error@+1:43 {{The value of an integer attribute is a whole number, such as an Int.}}
    _ = FetchRequest<Book>(where: \.pages == name)
    // expected-error@+1:43 {{The value of an integer attribute is a whole number, such as an Int.}}
    _ = FetchRequest<Book>(where: \.pages < 3.5)
    // expected-error@+1:44 {{The value of a relationship is an object, its ObjectID, or a RecordID.}}
    _ = FetchRequest<Book>(where: \.author == "Ana")
    // expected-error@+1:47 {{The value of a timestamp attribute is a Date.}}
    _ = FetchRequest<Sample>(where: \.instant < 3)
    // expected-error@+1:68 {{The value of an integer attribute is a whole number, such as an Int.}}
    _ = FetchRequest<Author>(where: (\Author.Fields.books).count() > "x")
    // expected-error@+3:24 {{The value of a text, date or JSON attribute is a String.}}
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana"
            && \.title < 3 && \.lent == true && \.series == nil)
    // expected-error@+1:49 {{The value of an integer attribute is a whole number, such as an Int.}}
    let updates: [TypedUpdate<Book.Fields>] = [.set(\.pages, to: "x")]
    _ = updates
}

// MARK: An attribute alone

func attributesAlone() {
    // expected-error@+1:26 {{An attribute alone is no condition.}}
    _ = FetchRequest<Book>(where: \.lent)
    // expected-error@+1:35 {{An attribute alone is no condition.}}
    _ = FetchRequest<Book>(where: !\.lent)
    // expected-error@+3:13 {{An attribute alone is no condition.}}
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana" && \.rating < 0.5
            && \.lent && \.series == nil)
}

// MARK: A path of the class

func pathsOfTheClass() {
    // expected-error@+1:47 {{Conditions name Fields of a class:}}
    _ = FetchRequest<Book>(where: \Book.pages < 3)
    // expected-error@+1:56 {{Conditions name Fields of a class:}}
    _ = FetchRequest<Book>(where: (\Book.author?.name).beginsWith("A"))
    // expected-error@+1:49 {{Conditions name Fields of a class:}}
    _ = FetchRequest<Book>(where: (\Book.title).contains("x"))
    // expected-error@+1:53 {{Conditions name Fields of a class:}}
    _ = FetchRequest<Author>(where: (\Author.books).any(\.pages > 3))
    // expected-error@+1:60 {{Conditions name Fields of a class:}}
    _ = FetchRequest<Book>(where: \.pages < 3, sortedBy: [.ascending(\Book.title)])
    // expected-error@+3:27 {{Conditions name Fields of a class:}}
    _ = FetchRequest<Book>(
        where: \.pages > 1 && \.pages < 10_000 && \.title != "x" && \.author.name == "Ana" && \.rating < 0.5
            && \Book.lent == true && \.series == nil)
}
