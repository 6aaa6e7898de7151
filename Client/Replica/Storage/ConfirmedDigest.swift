internal import GRDB
internal import RoostModel

/// A computation of the replica's digest from all confirmed slots. The stored digest is updated with each change instead.
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
