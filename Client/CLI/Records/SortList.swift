internal import ArgumentParser
internal import Objects
internal import RoostModel

/// The sort order given on a command line: `person.name:localized,amount:descending`.
struct SortList {
    let descriptors: [FetchSortDescriptor]

    /// Parses a sort order.
    ///
    /// - Throws: `ValidationError` if a path is followed by an unknown word.
    init(_ text: String) throws {
        descriptors = try [String](paths: text).map { level in
            let words = level.parts(at: ":", keepsEmpty: true)
            var descriptor = FetchSortDescriptor(words[0])
            for word in words.dropFirst() {
                switch word {
                case "ascending": descriptor.isAscending = true
                case "descending": descriptor.isAscending = false
                case "localized": descriptor.textOrder = .localized
                default:
                    throw ValidationError(
                        "--sort has \"\(level)\", expected a path, or one with :descending or :localized behind it.")
                }
            }
            return descriptor
        }
    }
}
