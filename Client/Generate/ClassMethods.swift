/// The names of the methods that change a relationship to several.
struct ClassMethods {
    var add: String
    var remove: String
    /// Those of one that has an order.
    var order: (insert: String, move: String)?
}
