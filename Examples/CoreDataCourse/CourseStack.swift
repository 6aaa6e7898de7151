import Foundation
import Roost

// MARK: The stack

/// The stack of the application: one container for the process.
@MainActor final class CourseStack {
    static let shared = CourseStack(.temporaryDirectory.appending(path: "course-\(UUID().uuidString)"))
    /// The folder of the program's files. An application takes its documents folder.
    let folder: URL
    private let opened: Result<ObjectContainer, any Error>

    init(_ folder: URL) {
        self.folder = folder
        opened = Result {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try ObjectContainer(
                TripSchema.self, at: folder.appending(path: "trip.roost").path, subclasses: [CheckedSpending.self])
        }
    }

    /// The container, or an error with the reason why the file cannot be opened, for the first window.
    var container: ObjectContainer { get throws { try opened.get() } }
    /// The context of the user interface.
    var context: ObjectContext { get throws { try container.viewContext } }
}
