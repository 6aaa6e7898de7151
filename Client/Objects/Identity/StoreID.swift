/// The identifier of a store within one coordinator. Another coordinator may give the store another identifier.
public struct StoreID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt32

    public var description: String { "store \(number)" }
}
