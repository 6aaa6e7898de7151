/// Differences of format 5 from format 4.
package enum FormatFive {
    /// The columns of `roost_control` that were rows of `roost_state`, with the names of these rows.
    private static let columns = [
        ("replica", "replica"), ("former_replicas", "formerReplicas"), ("checkpoint", "checkpoint"),
        ("digest", "digest"), ("push_number", "pushNumber"), ("seen", "seen"), ("sealed", "sealed"),
        ("behind", "behind"),
        ("pulling_anew", "pullingAnew"), ("damaged", "damaged"), ("scrubbed", "scrubbed"),
        ("transactions_per_push", "transactionsPerPush"), ("changes_per_push", "changesPerPush"),
        ("last_contact", "lastContact"), ("last_failure", "lastFailure"), ("failing_since", "failingSince"),
        ("next_attempt", "nextAttempt"),
    ]

    /// Statements that turn a file of format 5 into one of format 4, except for its version.
    package static let takenBack = columnsTakenBack + "\nCREATE INDEX roost_history_step ON roost_history(step)"

    private static let columnsTakenBack = columns.map { column, name in
        """
        INSERT INTO roost_state(name, value) SELECT '\(name)', \(column) FROM roost_control WHERE \(column) IS NOT NULL;
        ALTER TABLE roost_control DROP COLUMN \(column);
        """
    }.joined(separator: "\n")
}
