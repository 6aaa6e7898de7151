package import RoostModel

/// What a page of pulled records did to a replica.
package struct ApplyReport: Hashable, Sendable {
    /// Records whose slots changed.
    package var applied = 0
    /// Records that came with nothing new.
    package var repeated = 0
    /// Local changes that were beaten.
    package var beaten = 0
    /// Other records that are hidden now, and that are back.
    package var hidden = 0
    package var shown = 0
    /// Records that do not fit the schema.
    package var unfit = 0
    /// Records that the server does not have any more, and that are forgotten.
    package var forgotten = 0
    /// Changes made here that the server does not have any more, and that only the journal has now.
    package var journaled = 0
    /// Records whose content was not what their confirmed slot says, and was written anew.
    package var corrected = 0
    /// Records that the server has lost and that are to be brought back.
    package var lost = 0
    /// Why everything was pulled anew, where that ended with the page.
    package var pulledAnew: PullAnewReason?
    /// Whether nothing was done, because the replica does not stand where the page goes on from.
    package var isOvertaken = false
    /// Whether the contact with the server was written down with it.
    package var isNoted = false
    /// Whether contents are to be looked at (``Replica/scrub()``), known with the last page.
    package var isScrubDue = false
    /// The digest of the confirmed slots after the page.
    package var digest = ScopeDigest()

    package init() {}
}
