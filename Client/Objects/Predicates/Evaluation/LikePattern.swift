/// A pattern of LIKE: `*` stands for any characters, `?` for one, and a backslash takes their meaning from both.
///
/// A character is what a reader takes for one (an extended grapheme cluster), and two are equal if they look the same
/// (canonical equivalence).
package struct LikePattern: Hashable, Sendable {
    private enum Element: Hashable {
        case one(Character)
        case anyOne
        case anyMany
    }

    private let elements: [Element]
    private let options: TextOptions

    package init(_ pattern: String, _ options: TextOptions) {
        self.options = options
        var elements: [Element] = []
        var isEscaped = false
        for character in TextFolding.folded(pattern, options) {
            if isEscaped {
                elements.append(.one(character))
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "*" {
                if elements.last != .anyMany { elements.append(.anyMany) }
            } else {
                elements.append(character == "?" ? .anyOne : .one(character))
            }
        }
        if isEscaped { elements.append(.one("\\")) }
        self.elements = elements
    }

    /// Whether the whole text is as the pattern says; takes at most length × length steps.
    package func matches(_ text: String) -> Bool {
        let characters = Array(TextFolding.folded(text, options))
        var place = 0
        var element = 0
        // Where the last `*` stands, and how far what it stands for reaches so far.
        var star: (element: Int, place: Int)?
        while place < characters.count {
            if element < elements.count, elements[element] == .anyMany {
                star = (element, place)
                element += 1
            } else if element < elements.count, fits(characters[place], elements[element]) {
                element += 1
                place += 1
            } else if let last = star {
                star = (last.element, last.place + 1)
                element = last.element + 1
                place = last.place + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .anyMany }
    }

    private func fits(_ character: Character, _ element: Element) -> Bool {
        switch element {
        case .one(let wanted): character == wanted
        case .anyOne: true
        case .anyMany: false
        }
    }
}
