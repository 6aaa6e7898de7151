/// The entities of the application's schema.
enum EntityName {
    static let group = "GroupSettings"
    static let person = "Person"
    static let spending = "Spending"
}
