/// The section that a changed record belongs to now, or its absence from the result.
public enum ResultsPlacement: Hashable, Sendable {
    /// The record was deleted, or does not match the request's predicate.
    case absent
    /// The record belongs to the section with this name; `nil` where its section has none, or the request has no section key path.
    case present(section: String? = nil)
}
