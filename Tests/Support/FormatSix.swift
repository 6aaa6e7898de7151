/// Differences of format 6 from format 5.
package enum FormatSix {
    /// Makes a file one of format 5, but for its triggers, which work on it as well.
    package static let takenBack = """
        DELETE FROM roost_state WHERE name IN ('format', 'layout');
        ALTER TABLE roost_control RENAME COLUMN reading TO clock
        """
}
