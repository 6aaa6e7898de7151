/// Who may use the generated declarations.
package enum AccessLevel: String, Hashable, Sendable, CaseIterable {
    case `internal`
    case package
    case `public`

    /// What stands before a declaration.
    var prefix: String { self == .internal ? "" : "\(rawValue) " }
}
