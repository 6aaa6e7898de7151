/// The origin of a change in a result.
public enum ChangeOrigin: Hashable, Sendable, CaseIterable {
    /// The context that shows the result: an edit of its own, saved or not.
    case thisContext
    /// Another context of this process.
    case otherContext
    /// Another program of this device: another process, or one that writes plain SQL.
    case otherProgram
    /// Another device, by synchronisation.
    case synchronisation

    /// All origins except this context.
    static let others: Set<ChangeOrigin> = [.otherContext, .otherProgram, .synchronisation]
}
