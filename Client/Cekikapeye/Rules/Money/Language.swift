/// A language of the application. It determines how amounts are printed and how "1.234" is read.
package enum Language: String, CaseIterable, Hashable, Sendable {
    /// Point for decimals, comma between thousands.
    case english = "en"
    /// Comma for decimals, narrow space between thousands.
    case french = "fr"
}
