/// Where a page of pulled records goes on from.
package enum PageStart: Hashable, Sendable {
    /// It may be taken in wherever the replica stands.
    case anywhere
    /// What the server was told the replica stands at; `nil` for nothing.
    case checkpoint([UInt8]?)
}
