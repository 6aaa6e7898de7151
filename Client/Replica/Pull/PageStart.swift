/// Where a page of pulled records goes on from.
package enum PageStart: Hashable, Sendable {
    /// It may be taken in wherever the replica stands.
    case anywhere
    /// The checkpoint that was sent to the server; `nil` for none. Without one, `anew` is the number of the full resynchronisation. A page
    /// that was requested before that started may lack changes that the server has accepted from this device since.
    case checkpoint([UInt8]?, anew: Int64? = nil)

    /// The checkpoint to send to the server.
    package var checkpoint: [UInt8]? { if case .checkpoint(let checkpoint, _) = self { checkpoint } else { nil } }
}
