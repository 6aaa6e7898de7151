package import RoostModel

/// The state of one record in a scope, as it is sent.
package struct StoredRecord: Hashable, Sendable {
    /// The sequence of the transaction that changed it last.
    package var sequence: UInt64
    /// The replica that made the last change and had everything before it, so that the record need not be sent to it;
    /// ``ReplicaID/unregistered`` if there is none.
    package var author: ReplicaID
    /// The encoded `Record` message.
    package var message: [UInt8]

    package init(sequence: UInt64, author: ReplicaID, message: [UInt8]) {
        self.sequence = sequence
        self.author = author
        self.message = message
    }
}
