import Foundation
import Roost

/// The steps of the course. Each prints a heading, and what it shows.
@MainActor final class Course {
    let container: ObjectContainer
    let context: ObjectContext
    /// The folder of the files that steps make.
    let folder: URL
    private let write: (String) -> Void
    private var isFirst = true

    /// - Parameter write: Called with each line.
    init(_ stack: CourseStack, write: @escaping (String) -> Void) throws {
        container = try stack.container
        context = try stack.context
        folder = stack.folder
        self.write = write
    }

    /// Plays all steps in order. A step uses what the steps before it saved.
    func run() async throws {
        let steps: [() async throws -> Void] = [
            theModel, theStack, insertAndSave, fill, fetch, change, delete, settings,
            oneToMany, manyToMany, oneToOne, deleteRules,
            sort, pages, typedPredicates, aFilterStepByStep, predicatesAsText, predicatesOverRelationships, sums,
            sectionsWithTotals, deleteARow, aLiveList,
            undoAndRedo, aForm, validation, derivedProperties,
            workInTheBackground, batches, mergePolicies,
            aTestInMemory, severalStores, aDocument, migration,
        ]
        for step in steps { try await step() }
    }

    func heading(_ title: String) {
        write("\(isFirst ? "" : "\n")\(title)")
        isFirst = false
    }

    func show(_ line: String) { write("  \(line)") }

    /// Shows an error without identifiers of records, which differ in each run.
    func show(_ error: any Error) {
        let text = "\(error)".replacing(#/ [0-9a-f]{8}-[0-9a-f-]{27}/#, with: "")
        text.split(separator: "\n").forEach { show(String($0)) }
    }

    /// Returns the only object of a name.
    func person(_ name: String) throws -> Person {
        let found = try context.fetch(FetchRequest<Person>(where: \.name == name, limit: 1))
        guard let person = found.first else { throw ObjectError(.unknown, "Nobody is called \(name).") }
        return person
    }
}

extension Spending {
    /// The content and the amount, as in "Dinner 30.00 EUR".
    var line: String { "\(content) \(price)" }
}
