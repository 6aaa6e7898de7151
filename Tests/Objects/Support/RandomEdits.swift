import Objects
import RoostModel

/// Random edits of a library, determined by a seed.
struct RandomEdits {
    private var state: UInt64
    private let context: ObjectContext
    /// The store to edit and read.
    private let store: StoreID?

    /// - Parameter store: One of several stores. Without it, new objects are inserted into the first store, and all stores are
    ///   read.
    init(seed: UInt64, _ context: ObjectContext, in store: StoreID? = nil) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        self.context = context
        self.store = store
    }

    mutating func next(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    mutating func chance(_ oneIn: Int) -> Bool { next(oneIn) == 0 }

    /// Makes some objects of each entity, linked at random.
    mutating func fill() throws {
        for number in 0..<3 {
            let author = try context.make("Author", "a\(number)", into: store)
            let shelf = try context.make("Shelf", "s\(number)", into: store)
            let tag = try context.make("Tag", "t\(number)", into: store)
            for _ in 0..<2 {
                let book = try context.make(
                    "Book", "b\(next(100))", ["author": author, "shelf": shelf], into: store)
                if chance(2) { try book.add(tag, to: "tags") }
            }
        }
    }

    /// Makes one to four edits of any kind.
    mutating func edit() throws {
        for _ in 0...next(4) { try editOnce() }
    }

    private mutating func editOnce() throws {
        let books = try all("Book")
        let authors = try all("Author")
        let shelves = try all("Shelf")
        let tags = try all("Tag")
        switch next(9) {
        case 0: try context.make("Author", "n\(next(100))", into: store)
        case 1:
            let links = authors.isEmpty ? [:] : ["author": authors[next(authors.count)]]
            try context.make("Book", "n\(next(100))", links, into: store)
        case 2: if !books.isEmpty { try books[next(books.count)].set("pages", to: .integer(Int64(next(9)))) }
        case 3:
            if !books.isEmpty {
                try books[next(books.count)].set("author", to: authors.isEmpty ? nil : authors[next(authors.count)])
            }
        case 4:
            if !books.isEmpty {
                try books[next(books.count)].set("shelf", to: shelves.isEmpty ? nil : shelves[next(shelves.count)])
            }
        case 5:
            if !books.isEmpty, !tags.isEmpty { try books[next(books.count)].add(tags[next(tags.count)], to: "tags") }
        case 6:
            if !books.isEmpty, !tags.isEmpty {
                try books[next(books.count)].remove(tags[next(tags.count)], from: "tags")
            }
        case 7: if !books.isEmpty { try context.delete(books[next(books.count)]) }
        default:
            let parents = next(2) == 0 ? authors : shelves
            if !parents.isEmpty, chance(2) { try context.delete(parents[next(parents.count)]) }
        }
    }

    private func all(_ entity: String) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entity)
        request.stores = store.map { [$0] }
        return try context.fetch(request)
    }

    /// Returns the visible content without identifiers, to compare stores that were made separately.
    func labels() throws -> [[String]] {
        try all("Book").map { book in
            let links = try ["author", "shelf"].map { try book.object($0)?.label ?? "-" }
            return [book.label, "\(try book.value(of: "pages"))"] + links + (try book.objects("tags").map(\.label))
        } + (try ["Author", "Shelf", "Tag"].map { try all($0).map(\.label) })
    }

    /// Returns the visible objects by identifier, with their attributes and references.
    func contents() throws -> [ObjectID: [String]] {
        var contents: [ObjectID: [String]] = [:]
        for author in try all("Author") { contents[author.objectID] = [author.label] }
        for shelf in try all("Shelf") { contents[shelf.objectID] = [shelf.label] }
        for tag in try all("Tag") {
            contents[tag.objectID] = [tag.label] + (try tag.objects("books").map { "\($0.objectID.record)" })
        }
        for book in try all("Book") {
            let links = try ["author", "shelf"].map { try book.object($0).map { "\($0.objectID.record)" } ?? "-" }
            contents[book.objectID] =
                [book.label, "\(try book.value(of: "pages"))"] + links
                + (try book.objects("tags").map(\.label))
        }
        return contents
    }
}
