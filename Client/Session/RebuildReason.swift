/// Why everything is pulled anew.
package enum RebuildReason: String, Hashable, Sendable, CaseIterable {
    /// The digest differs.
    case digestDiffers
    /// The checkpoint is not in the server's history: it was restored.
    case historyChanged
    /// Away for longer than the server keeps what it purges.
    case resyncRequired
}
