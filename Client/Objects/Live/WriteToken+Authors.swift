internal import Replica

extension WriteToken {
    /// Returns the authors of writes since `earlier`; none where nothing visible can have changed.
    func authors(since earlier: WriteToken) -> [StoreChange.Author] {
        var authors: [StoreChange.Author] = []
        if local != earlier.local { authors.append(.otherProgram) }
        if remote != earlier.remote { authors.append(.synchronisation) }
        return authors
    }
}
