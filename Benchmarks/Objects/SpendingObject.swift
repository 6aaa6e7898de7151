import Objects

/// A class as `roost generate swift` writes it.
class SpendingObject: ManagedObject {
    override class var entityName: String { "Spending" }
}
