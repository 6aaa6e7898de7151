package import ArgumentParser
package import RoostModel

extension ScopeRole {
    /// Reads a role from the command line, in either case.
    ///
    /// - Throws: A `ValidationError` that lists the roles.
    package init(argument: String) throws {
        guard let role = ScopeRole(rawValue: argument.lowercased()) else {
            throw ValidationError("\"\(argument)\" is not a role, expected viewer, editor or owner.")
        }
        self = role
    }
}
