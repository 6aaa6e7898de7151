internal import RoostModel

/// The live objects of a context by their identifiers, held without keeping them alive. A fetch looks up each of its rows here.
///
/// It is a hash table with open addressing over the objects themselves, with eight bytes for a slot. The hash is seeded at
/// random, so that identifiers chosen elsewhere cannot be made to collide.
struct ObjectTable {
    /// The slots. Their number is a power of two, and at least twice the number of objects.
    private var places: [Unmanaged<ManagedObject>?]
    private var count = 0
    /// The number of bits by which a hash is shifted to give the index of a slot.
    private var shift: UInt64
    private let factors: (high: UInt64, low: UInt64, kind: UInt64)

    init() {
        var generator = SystemRandomNumberGenerator()
        factors = (generator.next() | 1, generator.next() | 1, generator.next() | 1)
        shift = 60
        places = Array(repeating: nil, count: 16)
    }

    var isEmpty: Bool { count == 0 }

    /// All objects, in no order.
    var objects: [ManagedObject] { places.compactMap { $0?.takeUnretainedValue() } }

    subscript(_ id: ObjectID) -> ManagedObject? {
        var place = home(of: id)
        while let known = places[place] {
            if known._withUnsafeGuaranteedRef({ $0.objectID == id }) { return known.takeUnretainedValue() }
            place = next(place)
        }
        return nil
    }

    /// Inserts an object. The table must have none with its identifier.
    mutating func insert(_ object: ManagedObject) {
        if (count + 1) * 2 > places.count { grow() }
        count += 1
        enter(Unmanaged.passUnretained(object))
    }

    /// Removes an object; an object that is not in the table changes nothing.
    mutating func remove(_ object: ManagedObject) {
        let gone = Unmanaged.passUnretained(object).toOpaque()
        var place = home(of: object.objectID)
        while let known = places[place], known.toOpaque() != gone { place = next(place) }
        guard places[place] != nil else { return }
        count -= 1
        places[place] = nil
        // Objects that a collision moved behind the free slot move up, so that they are found without a marker in the free slot.
        var free = place
        var follower = next(place)
        while let known = places[follower] {
            let home = known._withUnsafeGuaranteedRef { self.home(of: $0.objectID) }
            let mask = places.count - 1
            if (follower &- home) & mask >= (follower &- free) & mask {
                places[free] = known
                places[follower] = nil
                free = follower
            }
            follower = next(follower)
        }
    }

    private mutating func grow() {
        let old = places
        places = Array(repeating: nil, count: old.count * 2)
        shift -= 1
        for case let object? in old { enter(object) }
    }

    private mutating func enter(_ object: Unmanaged<ManagedObject>) {
        var place = object._withUnsafeGuaranteedRef { home(of: $0.objectID) }
        while places[place] != nil { place = next(place) }
        places[place] = object
    }

    private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    /// Returns the slot at which the search for an identifier starts.
    private func home(of id: ObjectID) -> Int {
        let kind = UInt64(id.store.number) << 32 | UInt64(id.entity.rawValue)
        let sum =
            (id.record.high ^ id.record.high >> 32) &* factors.high &+ (id.record.low ^ id.record.low >> 32)
            &* factors.low
            &+ kind &* factors.kind
        return Int(truncatingIfNeeded: sum >> shift)
    }
}
