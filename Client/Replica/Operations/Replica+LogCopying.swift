extension Replica {
    /// Says that this process holds the lease: from now on it copies the write-ahead log back.
    package func beginCopyingLog() { log.begin(engine) }

    /// Whether it is between ``beginCopyingLog()`` and ``endCopyingLog()``.
    package var isCopyingLog: Bool { log.isCopying }

    /// Whether the log has changed since it was last copied back whole.
    package var isLogUncopied: Bool { log.isUncopied }

    /// Whether so much was added to the log that ``copyLogAtRest()`` is worth its while.
    package var isLogWorthCopying: Bool { log.isWorthCopying }

    /// Copies the log back between ``beginCopyingLog()`` and ``endCopyingLog()``, so that no other program has to in the midst of its own
    /// commits. To be called when there is nothing else to do: it waits for the disk. What fails is left for the next time.
    package func copyLogAtRest() { log.copyAtRest(engine) }

    /// Ends what ``beginCopyingLog()`` began; to be called before the lease is given up.
    package func endCopyingLog() { log.end(engine) }
}
