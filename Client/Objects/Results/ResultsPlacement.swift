/// Whether a changed record belongs to a result now, and to which section.
public enum ResultsPlacement: Hashable, Sendable {
    /// It was deleted, or the request's predicate does not take it.
    case absent
    /// It belongs to the section with this name; nil where the request has no section key path.
    case present(section: String? = nil)
}
