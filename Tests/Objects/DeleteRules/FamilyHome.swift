import Objects
import RoostModel
import TestScope

/// Two devices with the schema of one kind and rule, and what they exchange through.
final class FamilyHome {
    let kind: FamilyKind
    let here: TestLibrary
    let there: TestLibrary
    private let scope = MemoryScope()
    private var count = 0

    init(_ kind: FamilyKind, _ rule: String) throws {
        self.kind = kind
        here = try TestLibrary(kind.schema(rule), device: 1)
        there = try TestLibrary(kind.schema(rule), device: 2)
    }

    /// A name that no other parent has.
    func nextName() -> String {
        count += 1
        return "parent \(count)"
    }

    func synchronise() throws {
        for library in [here, there, here] { try scope.synchronise(library.replica) }
    }

    /// Brings here what was written there, and pushes nothing of what waits here.
    func pull() throws {
        try scope.push(there.replica)
        try scope.pull(here.replica)
    }
}
