package import RoostModel

/// The effects of a page of pulled records on a replica.
package struct ApplyReport: Hashable, Sendable {
    /// The number of records whose slots changed.
    package var applied = 0
    /// The number of records that brought nothing new.
    package var repeated = 0
    /// The number of local changes that were beaten.
    package var beaten = 0
    /// The number of other records that became hidden.
    package var hidden = 0
    /// The number of other records that are visible again.
    package var shown = 0
    /// The number of records that do not fit the schema.
    package var unfit = 0
    /// The number of records that the server does not have any more, and that the replica has forgotten.
    package var forgotten = 0
    /// The number of changes made here that the server does not have any more, and that only the journal keeps.
    package var journaled = 0
    /// The number of records that were rewritten, because their content differed from their confirmed slot.
    package var corrected = 0
    /// The number of records that the server has lost and that are to be brought back.
    package var lost = 0
    /// The reason of a full resynchronisation that ended with the page.
    package var pulledAnew: PullAnewReason?
    /// Whether nothing was applied, because the replica's checkpoint is not the one that the page continues from.
    package var isOvertaken = false
    /// Whether the contact with the server was recorded with the page.
    package var isNoted = false
    /// Whether a check of all contents (``Replica/scrub()``) is due; determined with the last page.
    package var isScrubDue = false
    /// The digest of the confirmed slots after the page.
    package var digest = ScopeDigest()

    package init() {}
}
