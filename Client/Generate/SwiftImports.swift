/// The import declarations of a generated file.
///
/// An import without an access level is internal where the module enables `InternalImportsByDefault`, and public elsewhere. Swift
/// refuses a module in which one file imports Foundation without an access level and another one with a level below `public`.
/// Programs import Foundation without one, so generated files do too.
struct SwiftImports {
    /// The names of the modules.
    let modules: [String]
    /// The access level of the file's declarations, whose types come from the modules.
    let accessLevel: AccessLevel
    let form: ImportForm

    var source: String {
        switch (accessLevel, form) {
        case (.internal, .plain): lines("")
        // Swift takes this one for the same as an import without an access level.
        case (.public, .plain), (_, .leveled): lines("\(accessLevel.rawValue) ")
        case (.package, .plain):
            """
            #if hasFeature(InternalImportsByDefault)
            \(lines("    package "))
            #else
            \(lines("    "))
            #endif
            """
        }
    }

    private func lines(_ prefix: String) -> String {
        modules.map { "\(prefix)import \($0)" }.joined(separator: "\n")
    }
}
