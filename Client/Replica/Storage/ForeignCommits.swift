/// What other connections than the one that synchronises have committed so far: equal as long as they have committed nothing.
///
/// Local changes come from other connections always, of this program and of others; what synchronising writes down itself does
/// not count.
package struct ForeignCommits: Hashable, Sendable {
    /// SQLite's own number, which says something to one connection only.
    let version: Int64
}
