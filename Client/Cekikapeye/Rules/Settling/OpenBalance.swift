/// A person and the amount still to be settled, in minor units: positive if the person is owed, negative if the
/// person owes, never 0.
struct OpenBalance: Hashable {
    let person: PersonID
    var amount: Int64
}
