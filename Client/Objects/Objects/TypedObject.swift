public import Predicates

/// A class of objects whose properties the compiler knows: `roost generate swift` writes one for each entity.
///
///     let short = FetchRequest<Book>(
///         where: \.author.name == "Ana" && \.pages < 100,
///         sortedBy: [.ascending(\.author.name, .localized), .ascending(\.title, .localized)])
///
/// A subclass of such a class has the fields of its superclass.
public protocol TypedObject: ManagedObject {
    /// What typed predicates and sort orders of the class's objects are made of.
    associatedtype Fields: EntityFields
}
