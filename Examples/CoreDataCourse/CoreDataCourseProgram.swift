import Foundation

/// The program `core-data-course`: `swift run core-data-course` plays the course.
@main @MainActor enum CoreDataCourseProgram {
    static func main() async throws {
        let stack = CourseStack.shared
        defer { try? FileManager.default.removeItem(at: stack.folder) }
        try await Course(stack) { print($0) }.run()
    }
}
