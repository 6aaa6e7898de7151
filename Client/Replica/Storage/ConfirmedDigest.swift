internal import GRDB
internal import RoostModel

/// The digest of the confirmed slots, added up from all of them; otherwise it is kept up with each change.
struct ConfirmedDigest {
    let database: Database

    func sum() throws -> ScopeDigest {
        var digest = ScopeDigest()
        let query = try database.query("SELECT entity, id, put_stamp, hash, del_stamp FROM roost_fact")
        while try query.step() {
            guard let key = query.key(0) else { continue }
            var slots = SlotStamps(delete: query.stamp(4))
            if let stamp = query.stamp(2), let hash = query.hash(3) { slots.put = .init(stamp: stamp, hash: hash) }
            digest.replace(SlotStamps(), with: slots, of: key)
        }
        return digest
    }
}
