public import Predicates

/// A class of objects with statically typed properties; `roost generate swift` writes one for each entity.
///
///     let short = FetchRequest<Book>(
///         where: \.author.name == "Ana" && \.pages < 100,
///         sortedBy: [.ascending(\.author.name, .localized), .ascending(\.title, .localized)])
///
/// A subclass of such a class has the fields of its superclass.
public protocol TypedObject: ManagedObject {
    /// The fields from which typed predicates and sort orders of the class are made.
    associatedtype Fields: EntityFields
}
