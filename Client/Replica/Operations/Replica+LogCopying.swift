extension Replica {
    /// Starts checkpointing the WAL from this process, which holds the lease.
    package func beginCopyingLog() { log.begin(engine) }

    /// Whether this process checkpoints the WAL: between ``beginCopyingLog()`` and ``endCopyingLog()``.
    package var isCopyingLog: Bool { log.isCopying }

    /// Whether the WAL has changed since its last complete checkpoint.
    package var isLogUncopied: Bool { log.isUncopied }

    /// Whether the WAL has grown enough to make ``copyLogAtRest()`` worthwhile.
    package var isLogWorthCopying: Bool { log.isWorthCopying }

    /// Checkpoints the WAL between ``beginCopyingLog()`` and ``endCopyingLog()``, so that no other program has to do so
    /// during its own commits. Call it when idle: it waits for the disk. A failed checkpoint is left to the next call.
    package func copyLogAtRest() { log.copyAtRest(engine) }

    /// Ends the checkpointing that ``beginCopyingLog()`` started. Call it before releasing the lease.
    package func endCopyingLog() { log.end(engine) }
}
