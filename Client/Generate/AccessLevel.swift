/// The access level of the generated declarations.
package enum AccessLevel: String, Hashable, Sendable, CaseIterable {
    case `internal`
    case package
    case `public`

    /// The keyword before a declaration, followed by a space; empty for `internal`.
    var prefix: String { self == .internal ? "" : "\(rawValue) " }
}
