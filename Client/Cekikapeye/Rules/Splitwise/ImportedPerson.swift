/// A person whom the header of a file names.
package struct ImportedPerson: Hashable, Sendable {
    /// The name in the file. A second person with an identical name gets the suffix " (2)".
    package let name: String
    /// The text from which the person's identifier is derived. It is identical in every import of the group.
    package let sourceKey: String

    init(name: String, occurrence: Int) {
        self.name = occurrence == 1 ? name : "\(name) (\(occurrence))"
        sourceKey = SourceKey.text("splitwise-person", [name] + (occurrence == 1 ? [] : [String(occurrence)]))
    }
}
