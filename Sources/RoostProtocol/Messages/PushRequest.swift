package import RoostModel

/// Local transactions on their way to the server.
package struct PushRequest: Hashable, Sendable {
    /// Changes that are stored together or not at all.
    package struct Transaction: Hashable, Sendable {
        package var changes: [Change]
        /// Whether the rest of this transaction comes with the next push. Only the last transaction of a push may be
        /// incomplete.
        package var continues: Bool

        package init(changes: [Change], continues: Bool = false) {
            self.changes = changes
            self.continues = continues
        }
    }

    /// The number of the push. A replica counts its pushes from 1 without a gap; a resent push has its first number and
    /// bytes.
    package var number: UInt64
    /// The replica's checkpoint when it made the push; `nil` before its first pull.
    package var checkpoint: Checkpoint?
    package var transactions: [Transaction]

    package init(number: UInt64, checkpoint: Checkpoint?, transactions: [Transaction]) {
        self.number = number
        self.checkpoint = checkpoint
        self.transactions = transactions
    }

    package var changes: [Change] { transactions.flatMap(\.changes) }
}
