/// A payment without its currency.
struct Payment: Hashable {
    let from: PersonID
    let to: PersonID
    let amount: Int64
}
