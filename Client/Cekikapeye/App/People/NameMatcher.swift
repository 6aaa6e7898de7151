internal import RoostModel

/// Finds the person to whom a typed name refers.
package struct NameMatcher: Sendable {
    private let members: [(member: Member, folded: FoldedText)]

    /// Makes a matcher for these people.
    package init(_ members: [Member]) {
        self.members = members.map { ($0, FoldedText($0.name)) }
    }

    /// Finds one person by the complete name, else by the only name with that beginning, ignoring case and accents;
    /// else by the end of the identifier.
    ///
    /// - Throws: ``BookError/unknownPerson(_:candidates:)`` or ``BookError/ambiguousPerson(_:candidates:)``.
    package func find(_ text: String) throws(BookError) -> Member {
        let wanted = FoldedText(text)
        let byName = members.filter { $0.folded == wanted }
        let fitting = byName.isEmpty ? members.filter { $0.folded.hasPrefix(wanted) } : byName
        if let only = fitting.first, fitting.count == 1 { return only.member }
        guard fitting.isEmpty else {
            throw .ambiguousPerson(text, candidates: fitting.map { "\($0.member.name) (\($0.member.shortID))" })
        }
        let identified = members.filter { wanted.text.count >= 6 && $0.member.id.description.hasSuffix(wanted.text) }
        if let only = identified.first, identified.count == 1 { return only.member }
        throw .unknownPerson(text, candidates: members.map(\.member.name))
    }
}
