import Synchronization

/// An identifier that counts its hashes and comparisons.
struct CountedID: Hashable, Sendable {
    final class Work: Sendable {
        struct Counts: Sendable {
            var hashes = 0
            var comparisons = 0
        }

        private let mutex = Mutex(Counts())

        var counts: Counts {
            get { mutex.withLock { $0 } }
            set { mutex.withLock { $0 = newValue } }
        }
    }

    let number: Int
    let work: Work

    static func == (first: CountedID, second: CountedID) -> Bool {
        first.work.counts.comparisons += 1
        return first.number == second.number
    }

    func hash(into hasher: inout Hasher) {
        work.counts.hashes += 1
        hasher.combine(number)
    }
}
