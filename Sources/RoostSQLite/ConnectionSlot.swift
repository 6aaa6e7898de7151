internal import Dispatch
package import GRDB

/// A slot next to a connection for values that are prepared on it or cached about it, found by the `Database` that the
/// connection's work receives.
///
/// The slot is stored with the queue on which the connection does its work, which a `Database` leads to. The stored value
/// needs no protection of its own: code that holds a `Database` has the connection for itself, and no other code reaches
/// its queue's values.
package struct ConnectionSlot<Kept: AnyObject & Sendable>: Sendable {
    private let key = DispatchSpecificKey<Kept>()

    package init() {}

    /// Stores a value with the one connection that is opened with `configuration`.
    package func keep(_ kept: Kept, in configuration: inout Configuration) {
        let queue = configuration.targetQueue ?? DispatchQueue(label: "roost-connection")
        queue.setSpecific(key: key, value: kept)
        configuration.targetQueue = queue
    }

    /// Returns the stored value; `nil` for a connection without one.
    package func kept(by database: Database) -> Kept? { database.configuration.targetQueue?.getSpecific(key: key) }
}
