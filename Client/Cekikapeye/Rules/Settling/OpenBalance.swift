/// A person and what is still to be settled, in minor units: positive is owed, negative owes, never 0.
struct OpenBalance: Hashable {
    let person: PersonID
    var amount: Int64
}
