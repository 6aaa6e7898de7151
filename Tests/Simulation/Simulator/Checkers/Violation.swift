/// A violated promise.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The promise that a checker found violated; the codes are those of Docs/reliability.md.
    package enum Promise: String, Hashable, Sendable, CaseIterable {
        case convergence = "I1"
        case acknowledged = "I3"
        case localCommit = "I4"
        case derivation = "I5"
        case repetition = "I6"
        case wholeTransaction = "I7"
        case pages = "I8"
        case causality = "I9"
        case ownWrites = "I10"
        case cascadeParent = "I11"
        case oneRecord = "I12"
        case accounting = "I13"
        case clockBound = "I14"
        case oneContent = "I15"
        case copies = "I16"
        case rollback = "I17"
        case purge = "I18"
        case integrity = "I19"
        case unknownKept = "I22"
        case progress = "I26"
        case committedWrite = "I29"
        case usersOwn = "I30"
        case session = "session"
    }

    package var promise: Promise
    package var what: String

    package init(_ promise: Promise, _ what: String) {
        self.promise = promise
        self.what = what
    }

    package var description: String { "\(promise.rawValue) (\(promise)): \(what)" }
}
