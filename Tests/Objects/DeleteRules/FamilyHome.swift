import Objects
import RoostModel
import TestScope

/// Two devices with a schema of one kind and rule, and a scope between them.
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

    /// Returns a name that no other parent has.
    func nextName() -> String {
        count += 1
        return "parent \(count)"
    }

    func synchronise() throws {
        for library in [here, there, here] { try scope.synchronise(library.replica) }
    }

    /// Pulls the changes of the other device, without a push of pending changes.
    func pull() throws {
        try scope.push(there.replica)
        try scope.pull(here.replica)
    }
}
