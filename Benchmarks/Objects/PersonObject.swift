import Objects

/// A class as `roost generate swift` writes it.
class PersonObject: ManagedObject {
    override class var entityName: String { "Person" }
}
