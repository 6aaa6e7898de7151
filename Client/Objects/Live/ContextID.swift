/// Tells the contexts of a coordinator apart.
public struct ContextID: Hashable, Sendable {
    let number: UInt64
}
