internal import Dispatch
package import GRDB

/// A place beside a connection for what is prepared on it or known of it, found by the `Database` that its work is given.
///
/// It lies with the queue on which the connection does its work, which is what a `Database` leads to. What is kept needs no protection of
/// its own: who has a `Database` has its connection for itself, and nobody else comes to what lies with its queue.
package struct ConnectionPlace<Kept: AnyObject & Sendable>: Sendable {
    private let key = DispatchSpecificKey<Kept>()

    package init() {}

    /// Keeps it with the connections that are opened with `configuration`, of which there is to be one.
    package func keep(_ kept: Kept, in configuration: inout Configuration) {
        let queue = configuration.targetQueue ?? DispatchQueue(label: "roost-connection")
        queue.setSpecific(key: key, value: kept)
        configuration.targetQueue = queue
    }

    /// What is kept; `nil` for a connection that keeps nothing here.
    package func kept(by database: Database) -> Kept? { database.configuration.targetQueue?.getSpecific(key: key) }
}
