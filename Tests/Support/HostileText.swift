/// Texts that cost a reader more than their length.
package enum HostileText {
    /// A letter under combining marks, in an order that normalising has to sort: in time that grows with the square of their number.
    package static func marks(_ letter: String, _ count: Int) -> String {
        letter + String(repeating: "\u{301}\u{316}", count: count / 2)
    }
}
