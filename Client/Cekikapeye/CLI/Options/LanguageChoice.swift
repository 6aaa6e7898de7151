internal import ArgumentParser
internal import CekikapeyeRules

/// A language as named on the command line.
enum LanguageChoice: String, ExpressibleByArgument, CaseIterable {
    case en
    case fr

    var language: Language { self == .fr ? .french : .english }
}
