internal import ArgumentParser
internal import CekikapeyeRules

/// A language as the command line names it.
enum LanguageChoice: String, ExpressibleByArgument, CaseIterable {
    case en
    case fr

    var language: Language { self == .fr ? .french : .english }
}
