/// Names a store of a coordinator; another coordinator names the same store otherwise.
public struct StoreID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt32

    public var description: String { "store \(number)" }
}
