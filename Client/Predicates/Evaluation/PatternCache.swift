internal import RoostModel
internal import Synchronization

/// A cache of parsed patterns: each row is tested with one pattern, and parsing a regular expression costs more than a match.
package final class PatternCache: Sendable {
    private struct Key: Hashable {
        var pattern: ExactText
        var options: TextOptions
    }

    private struct Patterns {
        var like: [Key: LikePattern] = [:]
        /// `nil` for an invalid regular expression.
        var regex: [Key: RegexPattern?] = [:]
    }

    private static let countMax = 64
    private let patterns = Mutex(Patterns())

    package init() {}

    /// Whether a pattern of LIKE matches the entire text.
    package func isLike(_ text: String, _ pattern: String, _ options: TextOptions) -> Bool {
        let key = Key(pattern: ExactText(pattern), options: options)
        let like = patterns.withLock { patterns in
            if let known = patterns.like[key] { return known }
            if patterns.like.count >= Self.countMax { patterns.like = [:] }
            let made = LikePattern(pattern, options)
            patterns.like[key] = made
            return made
        }
        return like.matches(text)
    }

    /// Whether a regular expression matches the entire text. An invalid expression matches nothing.
    package func matches(_ text: String, _ pattern: String, _ options: TextOptions) -> Bool {
        let key = Key(pattern: ExactText(pattern), options: options)
        let regex = patterns.withLock { patterns in
            if let known = patterns.regex[key] { return known }
            if patterns.regex.count >= Self.countMax { patterns.regex = [:] }
            let made = RegexPattern(pattern, options)
            patterns.regex[key] = .some(made)
            return made
        }
        return regex?.matches(text) ?? false
    }
}
