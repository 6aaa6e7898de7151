internal import RoostModel

/// An edit that an operation without `throws` could not make.
struct LostEdit {
    let object: ObjectID
    let property: PropertyID
    /// The object that was not added to a relationship to several, or not removed from it; `nil` for an attribute, a to-one
    /// relationship and a move.
    var member: ObjectID?
    var isRemoval = false

    /// Whether two edits set the same property or, in a relationship to several, the same member of it. The later one replaces
    /// the earlier one.
    func isOfSameProperty(as other: LostEdit) -> Bool {
        object == other.object && property == other.property && member == other.member
    }
}

/// The errors of a context's operations that could not throw. Its saves throw them.
///
/// The error of a lost edit stays until a later edit of the same property replaces the lost one. Other errors, such as the errors
/// of reads, are thrown by one save: no edit is missing because of them.
struct Failures {
    /// Maximum number of errors without a lost edit. In a store that cannot be read, each access adds one.
    private static let reportsMax = 100

    private var errors: [(edit: LostEdit?, error: ObjectError)] = []
    private var reportCount = 0

    var isEmpty: Bool { errors.isEmpty }

    /// Whether an edit was lost, and not replaced by a later one.
    var hasLostEdits: Bool { errors.count > reportCount }

    /// The errors, in the order in which they occurred.
    var all: [ObjectError] { errors.map(\.error) }

    /// The objects of the lost edits.
    var objects: Set<ObjectID> { Set(errors.compactMap { $0.edit?.object }) }

    /// Returns the edit of the same property that was lost, if any.
    func lost(_ edit: LostEdit) -> LostEdit? {
        errors.lazy.compactMap(\.edit).first { $0.isOfSameProperty(as: edit) }
    }

    /// Adds an error. The error of a lost edit replaces the error of an earlier edit of the same property.
    mutating func add(_ error: ObjectError, _ edit: LostEdit?) {
        if let edit {
            if let place = errors.firstIndex(where: { $0.edit?.isOfSameProperty(as: edit) == true }) {
                errors[place] = (edit, error)
                return
            }
        } else {
            guard reportCount < Self.reportsMax, !errors.contains(where: { $0.edit == nil && $0.error == error }) else {
                return
            }
            reportCount += 1
        }
        errors.append((edit, error))
    }

    /// Removes the errors of lost edits.
    mutating func remove(where isReplaced: (LostEdit) -> Bool) {
        errors.removeAll { $0.edit.map(isReplaced) ?? false }
    }

    /// Returns the errors that a save throws, and removes those that no later edit can replace.
    ///
    /// - Parameters:
    ///   - isIgnored: Whether an edit does not matter, because the save deletes its object.
    ///   - isFinal: Whether the object of an edit no longer exists.
    mutating func take(ignoring isIgnored: (LostEdit) -> Bool, isFinal: (LostEdit) -> Bool) -> [ObjectError] {
        let taken = errors.filter { $0.edit.map { !isIgnored($0) } ?? true }
        errors.removeAll { $0.edit.map { !isIgnored($0) && isFinal($0) } ?? true }
        reportCount = 0
        return taken.map(\.error)
    }
}

extension ObjectError {
    /// Combines the errors of operations that could not throw with the problems of a save. A single error stays as it is.
    ///
    /// - Returns: `nil` where there is no error.
    static func combining(_ failures: [ObjectError], and problems: [String] = []) -> ObjectError? {
        guard let first = failures.first else { return nil }
        guard failures.count + problems.count > 1 else { return first }
        let all = failures.map(\.description) + problems
        return ObjectError(first.code, "Cannot save, for \(all.count) reasons:", problems: all, cause: first.cause)
    }
}
