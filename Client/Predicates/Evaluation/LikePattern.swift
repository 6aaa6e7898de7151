internal import RoostModel

/// A pattern of LIKE: `*` matches any characters, `?` matches one, and a backslash escapes either.
///
/// A character is an extended grapheme cluster. Two characters are equal if they are canonically equivalent. Options fold text and
/// pattern first, and `?` matches one character of the folded text: half of a folded ß.
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
        // Wildcards are recognised before folding: a wide `＊` is a literal.
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

    /// Whether the pattern matches the entire text, in at most length × length steps.
    package func matches(_ text: String) -> Bool {
        let characters = Array(TextFolding.folded(text, options).streamSafe)
        var offset = 0
        var element = 0
        // The index of the last `*`, and the end of the text that it matches so far.
        var star: (element: Int, offset: Int)?
        while offset < characters.count {
            if element < elements.count, elements[element] == .anyMany {
                star = (element, offset)
                element += 1
            } else if element < elements.count, fits(characters[offset], elements[element]) {
                element += 1
                offset += 1
            } else if let last = star {
                star = (last.element, last.offset + 1)
                element = last.element + 1
                offset = last.offset + 1
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
