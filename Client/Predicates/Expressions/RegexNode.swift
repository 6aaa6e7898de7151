/// The syntax tree of a regular expression.
indirect enum RegexNode: Sendable {
    case one(RegexSet)
    case assertion(RegexAssertion)
    case sequence([RegexNode])
    case either([RegexNode])
    /// A repetition; `most` is `nil` if unbounded.
    case repeated(RegexNode, least: Int, most: Int?)
}

/// A condition on an offset in the text.
enum RegexAssertion: Sendable {
    case start
    /// The end, or the offset before a final newline.
    case end
    case veryEnd
    case wordBoundary
    case noWordBoundary
}

/// The set of characters that an expression accepts at one position.
struct RegexSet: Sendable {
    enum Member: Sendable {
        case one(RegexCharacter)
        /// The character and its other case.
        case anyCase([RegexCharacter])
        /// Scalars.
        case range(ClosedRange<UInt32>)
        case anyCaseRange(ClosedRange<UInt32>)
        case any, newline, digit, space, horizontalSpace, word
        case property(RegexProperty)
        indirect case set(RegexSet)
    }

    var members: [Member]
    var isNegated = false

    func contains(_ forms: RegexForms) -> Bool { members.contains { Self.accepts($0, forms) } != isNegated }

    private static func accepts(_ member: Member, _ forms: RegexForms) -> Bool {
        let character = forms.own
        switch member {
        case .one(let wanted): return wanted == character
        case .anyCase(let wanted): return forms.contains { wanted.contains($0) }
        case .range(let range): return isWithin(range, character)
        case .anyCaseRange(let range): return forms.contains { isWithin(range, $0) }
        case .any: return true
        case .newline: return character.isNewline
        case .digit: return character.isDigit
        case .space: return character.isSpace
        case .horizontalSpace: return character.isSpace && !character.isNewline
        case .word: return character.isWord
        case .property(let property): return property.contains(character.first)
        case .set(let set): return set.contains(forms)
        }
    }

    private static func isWithin(_ range: ClosedRange<UInt32>, _ character: RegexCharacter) -> Bool {
        character.scalar.map { range.contains($0.value) } ?? false
    }
}
