/// A person a file names in its header.
package struct ImportedPerson: Hashable, Sendable {
    /// The name in the file; a second person of the same name gets " (2)".
    package let name: String
    /// The text to derive the person's identifier from; the same for every import of the group.
    package let sourceKey: String

    init(name: String, occurrence: Int) {
        self.name = occurrence == 1 ? name : "\(name) (\(occurrence))"
        sourceKey = SourceKey.text("splitwise-person", [name] + (occurrence == 1 ? [] : [String(occurrence)]))
    }
}
