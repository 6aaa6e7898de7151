internal import RoostModel

/// A pattern of LIKE: `*` stands for any characters, `?` for one, and a backslash takes their meaning from both.
///
/// A character is what a reader takes for one (an extended grapheme cluster), and two are equal if they look the same
/// (canonical equivalence). With options both are folded first, and `?` stands for one of what that makes: for a half of ß.
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
        // The signs are read as they are written: what is a sign only when it is folded, such as a wide one, is none.
        var literal = ""
        func endLiteral() {
            elements += TextFolding.folded(literal, options).map(Element.one)
            literal = ""
        }
        var isEscaped = false
        for character in pattern.streamSafe {
            if isEscaped || !["\\", "*", "?"].contains(character) {
                literal.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                endLiteral()
                if character == "?" {
                    elements.append(.anyOne)
                } else if elements.last != .anyMany {
                    elements.append(.anyMany)
                }
            }
        }
        if isEscaped { literal.append("\\") }
        endLiteral()
        self.elements = elements
    }

    /// Whether the whole text is as the pattern says; takes at most length × length steps.
    package func matches(_ text: String) -> Bool {
        let characters = Array(TextFolding.folded(text, options).streamSafe)
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
