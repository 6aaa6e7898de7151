/// Where a page of pulled records goes on from.
package enum PageStart: Hashable, Sendable {
    /// It may be taken in wherever the replica stands.
    case anywhere
    /// What the server was told the replica stands at; `nil` for nothing. For that, `anew` is the number of the pull of everything: a page
    /// that was asked for before that began may lack what the server has taken from this device since.
    case checkpoint([UInt8]?, anew: Int64? = nil)

    /// What the server is to be told.
    package var checkpoint: [UInt8]? { if case .checkpoint(let checkpoint, _) = self { checkpoint } else { nil } }
}
