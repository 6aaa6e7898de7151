#if ROOST_SEEDED_BUGS
    /// Seeded bugs that the tests must find, one at a time. They are compiled only with `ROOST_SEEDED_BUGS`, which no
    /// release sets (Docs/decisions/0032-seeded-bugs.md).
    package enum SeededBug: Int, Hashable, Sendable, CaseIterable {
        /// A push is acknowledged although its commit failed.
        case acknowledgeBeforeCommit = 1
        /// The server's file is never synced.
        case synchronousOff
        /// A push is stored, but sometimes not its reply.
        case replyOutsideTransaction
        /// A reader skips a sequence whose records are not stored yet.
        case sequenceOutOfOrder
        /// The checkpoint is written before the page.
        case checkpointBeforePage
        /// A page is applied in two transactions.
        case pageInTwoTransactions
        /// A delete also writes deletes of the children.
        case cascadeWritten
        /// One visible parent is enough.
        case hiddenByCounting
        /// Changes count as quiet although a deny reference or a hierarchy depends on them.
        case earlyOutWithoutDeny
        /// An edit writes the masked nil over the stored reference.
        case nilOverShownNil
        /// Of two puts with equal readings the first wins, whatever their replicas.
        case ignoreEqualStamp
        /// The number and hash of a push are not checked.
        case pushNumberUnchecked
        /// A checkpoint of another history is accepted as one of this history.
        case chainHashIgnored
        /// A replica refuses pages with stamps ahead of its own clock.
        case driftCheckOnReceive
        /// The clock does not learn from pulled stamps.
        case clockNotPersisted
        /// A purge removes members of a hierarchy's cycle that other records depend on.
        case purgeWithoutTree
        /// A reply removes all pending changes of its records from the outbox.
        case acknowledgeByRecord
        /// An insert of an existing record is not tracked.
        case replaceUntracked
        /// The server accepts stamps of any replica, regardless of the token.
        case foreignStampUnchecked
        /// A push without a reply is resent under a new number.
        case retryWithNewNumber

        /// A server forgets its clock's greatest reading when it restarts.
        case serverClockForgotten
        /// A jump of the server's clock counts as elapsed time.
        case purgeAfterClockJump
        /// A continuous session exits when a server without its data replies.
        case unauthorizedEndsSession
        /// A push that a proxy refuses is divided, regardless of the outcome of an earlier attempt.
        case refusedBodyWasNeverStored
        /// Parts of a transaction that the server has settled remain staged.
        case settledPartsStay
        /// A page that contains only identifiers of purged records counts as empty.
        case purgedPageIsEmpty
        /// Records that a restored server has lost are brought back in one request, beyond its limit.
        case recoveryIgnoresLimit
        /// A replica whose token is unknown to a restored server tries no earlier token.
        case earlierTokensNotTried

        // Bugs that only foreign programs reveal (Tests/Simulation/Foreign).

        /// Roost's marks are made AFTER the user triggers, which may raise first: in `EntityTriggers`.
        case marksAfterTriggers
        /// A trigger relies on its own conflict clause, which the clause of the outer statement overrides: the upserts of
        /// `EntityTriggers` become INSERT OR REPLACE.
        case conflictClauseInTrigger
        /// Rows that are missing from a dropped or rebuilt table become deletes: the comparison of the verified layout.
        case missingRowsAreDeletes
        /// A row that equals its fact gets a stamp: a seal drops entries of equal content otherwise.
        case equalContentStamps
        /// The user's own columns are lost when a row is hidden and shown: the column lists of `RowMoves` and of the delete
        /// triggers.
        case userColumnsForgotten
        /// A page overwrites a row without comparing it with its fact: `PageApplication`.
        case pageOverwritesUnrecorded

        nonisolated(unsafe) package static var current: SeededBug?

        package var isOn: Bool { Self.current == self }

        /// Whether only foreign programs reveal the bug.
        package var isOfForeignPrograms: Bool { rawValue >= Self.marksAfterTriggers.rawValue }
    }
#endif
