internal import RoostModel

/// I9: the stamp of a change is greater than every stamp that its author could see.
enum CausalityChecker {
    static func check(_ change: Change, _ stamps: WrittenStamps, _ accounting: inout AccountingChecker) throws {
        var write = stamps.write(of: change)
        if case .put(let encoded, let base) = change.kind {
            let marker = try Expected(encoded).text
            accounting.accepted(marker, change.stamp)
            if write == nil, let known = accounting.write(with: marker), known.key == change.key { write = known }
            if let base, base >= change.stamp {
                throw Violation(
                    .causality, "the edit \(change.stamp) of \(change.key) is not greater than its base \(base)")
            }
        }
        guard let write, change.stamp.time <= write.seen else { return }
        throw Violation(
            .causality,
            "write \(write.number) has the stamp \(change.stamp), though its author had seen \(write.seen)")
    }
}
