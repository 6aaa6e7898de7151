/// The checkpoint that a page of pulled records continues from.
package enum PageStart: Hashable, Sendable {
    /// The page may be applied at any checkpoint of the replica.
    case anywhere
    /// The checkpoint that was sent to the server; `nil` for none. Without one, the second value is the number of the full
    /// resynchronisation. A page that was requested before that resynchronisation started may lack changes that the server has
    /// accepted from this device since.
    case checkpoint([UInt8]?, anew: Int64? = nil)

    /// The checkpoint to send to the server.
    package var checkpoint: [UInt8]? { if case .checkpoint(let checkpoint, _) = self { checkpoint } else { nil } }
}
