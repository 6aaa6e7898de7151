internal import Foundation

/// The rules for names and titles.
enum PersonName {
    /// The longest name or title, in characters.
    static let charactersMax = 200

    /// The text without the spaces around it.
    static func checked(_ text: String) throws(BookError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else { throw .blank }
        guard name.count <= charactersMax else { throw .tooLong(limit: charactersMax) }
        return name
    }

    /// Checks names that must differ from one another and from those that are there, whatever case and accents.
    static func checkedDistinct(_ names: [String], against existing: [String]) throws(BookError) -> [String] {
        var taken = Set(existing.map { FoldedText($0) })
        var result: [String] = []
        for name in names {
            let name = try checked(name)
            guard taken.insert(FoldedText(name)).inserted else { throw .nameTaken(name) }
            result.append(name)
        }
        return result
    }
}
