/// Differences of format 6 from format 5.
package enum FormatSix {
    /// Statements that turn a file of format 6 into one of format 5, except for its triggers, which work in both formats.
    package static let takenBack = """
        DELETE FROM roost_state WHERE name IN ('format', 'layout');
        ALTER TABLE roost_control RENAME COLUMN reading TO clock
        """
}
