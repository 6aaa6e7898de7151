import Objects
import Replica
import RoostModel
import TestPlainSQL
import TestScope

/// A library of books and folders with all kinds of writers: contexts, a program with plain SQL, and another device.
struct ManyWriters {
    enum Writer: CaseIterable { case context, otherContext, otherProgram, otherDevice, synchronisation }

    let library: TestLibrary
    let context: ObjectContext
    private let there: TestLibrary
    private let scope = MemoryScope()
    private var random: RandomResults
    private var pullCount = 0

    init(seed: Int) throws {
        random = RandomResults(seed: seed)
        library = try TestLibrary(device: 1)
        there = try TestLibrary(device: 2)
        context = library.context()
        var edits = RandomEdits(seed: UInt64(seed), context)
        try edits.fill()
        for name in ["x", "y"] { try context.make("Folder", name) }
        try context.save()
        for library in [library, there] { try synchronise(library) }
    }

    mutating func below(_ end: Int) -> Int { random.below(end) }

    /// Lets a random writer write and commit, and returns it.
    mutating func write() throws -> Writer {
        let writer = Writer.allCases[below(Writer.allCases.count)]
        switch writer {
        case .context:
            try edit(context)
            try context.save()
        case .otherContext:
            let other = library.context()
            try edit(other)
            try other.save()
        case .otherProgram: try PlainSQL(library.replica.path).execute(statement())
        case .otherDevice:
            let other = there.context()
            try edit(other)
            try other.save()
            try scope.push(there.replica)
            try pull(library)
        case .synchronisation: for library in [library, there] { try synchronise(library) }
        }
        return writer
    }

    private mutating func synchronise(_ library: TestLibrary) throws {
        try scope.push(library.replica)
        try pull(library)
    }

    private mutating func pull(_ library: TestLibrary) throws {
        pullCount += 1
        try scope.pull(library.replica, checkpoint: [UInt8(truncatingIfNeeded: pullCount)])
    }

    private mutating func edit(_ context: ObjectContext) throws {
        guard below(3) > 0 else { return try editFolders(context) }
        var edits = RandomEdits(seed: UInt64(below(1 << 30)), context)
        try edits.edit()
    }

    private mutating func editFolders(_ context: ObjectContext) throws {
        let folders = try context.fetch(FetchRequest<ManagedObject>("Folder"))
        guard folders.count > 1 else {
            try context.make("Folder", "n\(below(9))")
            return
        }
        let (one, other) = (folders[below(folders.count)], folders[below(folders.count)])
        switch below(5) {
        case 0: try context.make("Folder", "n\(below(9))", ["parent": one])
        case 1, 2: try one.set("name", to: .string("n\(below(9))"))
        case 3: if one !== other { try one.set("parent", to: other) }
        default: if below(2) == 0 { try context.delete(one) } else { try one.set("parent", to: nil) }
        }
    }

    private mutating func statement() -> String {
        func one(_ table: String) -> String { "id = (SELECT id FROM \(table) ORDER BY id LIMIT 1 OFFSET \(below(4)))" }
        switch below(8) {
        case 0: return "UPDATE book SET title = 'q\(below(9))' WHERE \(one("book"))"
        case 1: return "UPDATE book SET pages = \(below(9)) WHERE \(one("book"))"
        case 2: return "UPDATE author SET name = 'q\(below(9))' WHERE \(one("author"))"
        case 3: return "UPDATE folder SET name = 'q\(below(9))' WHERE \(one("folder"))"
        case 4: return "UPDATE book SET author = (SELECT id FROM author ORDER BY id LIMIT 1) WHERE \(one("book"))"
        case 5:
            let table = ["author", "shelf", "folder", "book_tags"][below(4)]
            return "DELETE FROM \(table) WHERE \(one(table))"
        case 6: return "DELETE FROM shelf WHERE \(one("shelf"))"
        default: return "DELETE FROM book WHERE \(one("book"))"
        }
    }
}
