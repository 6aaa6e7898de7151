/// Texts that take a reader more time than their length suggests.
package enum HostileText {
    /// Returns a letter with combining marks in an order that normalisation has to sort, in time quadratic in their number.
    package static func marks(_ letter: String, _ count: Int) -> String {
        letter + String(repeating: "\u{301}\u{316}", count: count / 2)
    }
}
