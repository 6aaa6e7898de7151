/// The permissions of a member of a scope.
///
/// An order of roles: who may do more is greater.
///
///     if try replica.membership()?.role == .viewer { print("You may look, and not change anything.") }
public enum ScopeRole: String, Hashable, Sendable, CaseIterable, Comparable {
    /// May read what others write.
    case viewer
    /// May also write.
    case editor
    /// May also invite, revoke, change roles and publish versions of the schema.
    case owner

    public static func < (left: ScopeRole, right: ScopeRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .owner: 2
        }
    }
}
