package import CekikapeyeRules
internal import Foundation
package import RoostModel

/// What an operation takes from the world: the time, the day, the language and new identifiers.
package struct Surroundings: Sendable {
    /// Milliseconds since 1970.
    package let milliseconds: Int64
    /// The day on this device.
    package let today: Day
    /// Settles how "1.234" is read and how names are ordered.
    package let language: Language
    /// Makes an identifier that nothing else has.
    package let makeID: @Sendable () -> RecordID

    /// Makes surroundings of given parts.
    package init(
        milliseconds: Int64, today: Day, language: Language, makeID: @escaping @Sendable () -> RecordID
    ) {
        self.milliseconds = milliseconds
        self.today = today
        self.language = language
        self.makeID = makeID
    }

    var moment: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
