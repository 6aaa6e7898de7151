package import RoostModel

/// Removes changes one by one from a history for which `holds` is false, and returns a smallest remaining one; `nil` if it holds.
package func shrink(_ changes: [Change], _ holds: ([Change]) throws -> Bool) throws -> [Change]? {
    guard try !holds(changes) else { return nil }
    var smallest = changes
    var index = 0
    while index < smallest.count {
        var shorter = smallest
        shorter.remove(at: index)
        if try holds(shorter) { index += 1 } else { (smallest, index) = (shorter, 0) }
    }
    return smallest
}
