/// Why the replica needs a new identity.
package enum RenewalCause: String, Hashable, Sendable, CaseIterable {
    /// Its file is another one than that which was synchronised last.
    case copied
    /// The server knows another course of its pushes: the file was restored, or another one has the same identity.
    case forked
    /// The server has forgotten pushes of it: the server was restored.
    case serverRolledBack
    /// The server holds parts of a transaction whose rest is not sent as it was: whatever is pushed next would complete them.
    case partsLeft
    /// The server does not know its token, and knows an earlier one: the server was restored.
    case forgotten
}
