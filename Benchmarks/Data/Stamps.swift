internal import Foundation
package import RoostModel

/// The stamps of a device that has no replica file.
package struct Stamps {
    private let replica: ReplicaID
    private var last: UInt64 = 0

    package init(of replica: ReplicaID) {
        self.replica = replica
    }

    package mutating func next() -> HybridTimestamp {
        let now = UInt64(Date().timeIntervalSince1970 * 1000) << 16
        last = max(now, last + 1)
        return HybridTimestamp(time: last, replica: replica)
    }
}
