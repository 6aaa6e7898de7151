// The names that code blocks about a library, in comments of the public API, use and do not declare. See Vocabulary.swift.
import Foundation
import Roost

@MainActor func block(
    path: String, schema: Schema, context: ObjectContext, request: FetchRequest<Book>, all: FetchRequest<Book>,
    old: FetchRequest<Book>
) async throws {
    // The block.
}
