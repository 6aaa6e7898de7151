#if ROOST_SEEDED_BUGS
    /// Mistakes that the tests must find, one at a time; compiled only where `ROOST_SEEDED_BUGS` is set, which no release is
    /// (Docs/decisions/0032-seeded-bugs.md).
    package enum SeededBug: Int, Hashable, Sendable, CaseIterable {
        /// A push is acknowledged although its commit failed.
        case acknowledgeBeforeCommit = 1
        /// The server's file is never synced.
        case synchronousOff
        /// A push is stored, and now and then not that it was.
        case replyOutsideTransaction
        /// A reader passes over a sequence whose records are not there yet.
        case sequenceOutOfOrder
        /// The checkpoint is written before the page.
        case checkpointBeforePage
        /// A page is applied in two transactions.
        case pageInTwoTransactions
        /// A delete writes deletes of the children too.
        case cascadeWritten
        /// One visible parent is enough.
        case hiddenByCounting
        /// Changes count as quiet although a deny reference or a hierarchy hangs on them.
        case earlyOutWithoutDeny
        /// An edit writes the nil that was shown over the stored reference.
        case nilOverShownNil
        /// Of two puts of one reading the first stands, whatever their replicas.
        case ignoreEqualStamp
        /// Number and hash of a push are not looked at.
        case pushNumberUnchecked
        /// A checkpoint of another history is taken for one of this.
        case chainHashIgnored
        /// A replica refuses pages with stamps ahead of its own clock.
        case driftCheckOnReceive
        /// The clock does not learn from what was pulled.
        case clockNotPersisted
        /// Purging takes members of a hierarchy's cycle that others hang on.
        case purgeWithoutTree
        /// A reply takes whatever waits of its records out of the outbox.
        case acknowledgeByRecord
        /// An insert of a record that is known is not tracked.
        case replaceUntracked
        /// The server takes stamps of any replica, whoever's token it is.
        case foreignStampUnchecked
        /// A push that got no answer is sent under a new number.
        case retryWithNewNumber

        /// A server forgets its clock's greatest reading when it restarts.
        case serverClockForgotten
        /// A jump of the server's clock is taken for time that has passed.
        case purgeAfterClockJump
        /// A continuous session ends when a server without its data answers.
        case unauthorizedEndsSession
        /// A push that a proxy refuses is divided, whatever became of an earlier attempt.
        case refusedBodyWasNeverStored
        /// Parts of a transaction that the server has settled stay among those that it has staged.
        case settledPartsStay
        /// A page with nothing but identifiers of purged records brings nothing.
        case purgedPageIsEmpty
        /// Records that a restored server has lost are brought back in one request, whatever its limit.
        case recoveryIgnoresLimit
        /// A replica whose token a restored server does not know tries no earlier one.
        case earlierTokensNotTried

        // Bugs that only foreign programs show (Tests/Simulation/Foreign).

        /// Roost's marks are made AFTER the user's triggers, which may raise first: those of `EntityTriggers`.
        case marksAfterTriggers
        /// A trigger relies on its own conflict clause, which that of the outer statement overrides: the upserts of
        /// `EntityTriggers` become INSERT OR REPLACE.
        case conflictClauseInTrigger
        /// Rows that are missing from a table that was dropped or rebuilt become deletes: the comparison of the verified layout.
        case missingRowsAreDeletes
        /// A row that says what its fact says gets a stamp: where a seal drops entries of equal content.
        case equalContentStamps
        /// The user's own columns are not carried when a row is hidden and shown: the column lists of
        /// `RowMoves` and of the delete triggers.
        case userColumnsForgotten
        /// A page overwrites a row without comparing it with its fact: `PageApplication`.
        case pageOverwritesUnrecorded

        nonisolated(unsafe) package static var current: SeededBug?

        package var isOn: Bool { Self.current == self }

        /// Whether it takes foreign programs to see it.
        package var isOfForeignPrograms: Bool { rawValue >= Self.marksAfterTriggers.rawValue }
    }
#endif
