internal import Replica
package import Session

/// How a session hears of local changes: this program says so, and a watch of the file gives notice of everybody's.
extension SyncDriver {
    /// Since when local changes wait for a person; `nil` where they do not.
    package var blockedSince: Moment? { if case .blocked(_, let since) = session.status { since } else { nil } }

    /// This program has written to the replica.
    package mutating func localChange(at now: Moment) -> Order? {
        let order = take(at: now)
        // Where something was sealed at once, that has seen what is committed. Else it is looked for later than now, whatever is
        // committed meanwhile with it.
        if hasLocalChange { noteCommits() }
        return order
    }

    /// A program may have written to the replica. What this session writes down itself, and what it knows of already, is no reason to
    /// end a wait: while it is offline, each attempt would bring the next one near.
    package mutating func localChangeNoticed(at now: Moment) -> Order? {
        guard (try? replica.hasUnsealedChanges(since: &seen, holding: sealed?.number)) ?? true else { return nil }
        return take(at: now)
    }

    private mutating func take(at now: Moment) -> Order? {
        hasLocalChange = true
        return perform(session.localChange(at: now), at: now)
    }

    /// The content of a row that differed from the server's may be an edit that no trigger saw, and waits then.
    mutating func notePulledAnew(_ reason: PullAnewReason) {
        report.notices.append(reason.words)
        if reason == .damaged { replica.noteFoundChanges() }
    }

    /// Pushes changes that Roost itself found while it applied a page, as it pushes those that a program writes.
    mutating func noteFoundChanges() {
        guard replica.takeFoundChanges() else { return }
        hasLocalChange = true
        session.changesFound()
    }

    /// Where that cannot be read, the next notice tells it once more.
    mutating func noteCommits() {
        if let commits = try? replica.foreignCommits() { seen = commits }
    }
}
