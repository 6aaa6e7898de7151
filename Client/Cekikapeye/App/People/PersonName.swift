internal import Foundation

/// The rules for names and titles.
enum PersonName {
    /// The maximum length of a name or title, in characters.
    static let charactersMax = 200
    /// The maximum length of a name or title, in bytes of UTF-8.
    private static let bytesMax = 8000

    /// Trims and checks a name or title.
    ///
    /// - Throws: ``BookError/blank`` or ``BookError/tooLong(limit:)``.
    static func checked(_ text: String) throws(BookError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else { throw .blank }
        // A character may have any number of combining marks.
        guard name.utf8.count <= bytesMax, name.count <= charactersMax else { throw .tooLong(limit: charactersMax) }
        return name
    }

    /// Splits texts into names at commas, as for `--for`. A text without a name stays as it is.
    static func separated(_ texts: [String]) -> [String] {
        texts.flatMap { text -> [String] in
            let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                .filter { !$0.isEmpty }
            return names.isEmpty ? [text] : names
        }
    }

    /// Checks names that must differ from one another and from existing ones, ignoring case and accents. Commas and
    /// equals signs are refused, since they have a meaning in `--by`, `--for` and similar options.
    static func checkedDistinct(_ names: [String], against existing: [String]) throws(BookError) -> [String] {
        var taken = Set(existing.map { FoldedText($0) })
        var result: [String] = []
        for name in names {
            let name = try checked(name)
            guard !name.unicodeScalars.contains(where: { $0 == "," || $0 == "=" }) else { throw .nameWithMark(name) }
            guard taken.insert(FoldedText(name)).inserted else { throw .nameTaken(name) }
            result.append(name)
        }
        return result
    }
}
