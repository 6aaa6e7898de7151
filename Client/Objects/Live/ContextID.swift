/// The identifier of a context within its coordinator.
public struct ContextID: Hashable, Sendable {
    let number: UInt64
}
