/// Tells whether anything was written to a store between two looks, and by whom.
struct StoreToken: Hashable, Sendable {
    /// Changes whenever a program of this device writes a record.
    var local: [Int64]
    /// Changes whenever a page of pulled records is taken in.
    var remote: [UInt8]

    /// Who has written since `earlier`; nobody where nothing visible can have changed.
    func authors(since earlier: StoreToken) -> [StoreChange.Author] {
        var authors: [StoreChange.Author] = []
        if local != earlier.local { authors.append(.otherProgram) }
        if remote != earlier.remote { authors.append(.synchronisation) }
        return authors
    }
}
