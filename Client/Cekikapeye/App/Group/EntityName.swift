/// The entities of the application's schema.
enum EntityName {
    static let group = "Group"
    static let person = "Person"
    static let spending = "Spending"
}
