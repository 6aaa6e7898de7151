/// The names of the methods that change a to-many relationship.
struct ClassMethods {
    var add: String
    var remove: String
    /// The additional names for an ordered relationship.
    var order: (insert: String, move: String)?
}
