/// The form of a generated file's imports. It must be that of the imports in the other files of the module.
package enum ImportForm: Hashable, Sendable, CaseIterable {
    /// Without an access level, as most programs write them.
    case plain
    /// With the access level of the file's declarations, for a module whose files all write one.
    case leveled
}
