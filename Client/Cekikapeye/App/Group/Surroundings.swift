package import CekikapeyeRules
internal import Foundation
package import RoostModel

/// The external inputs of an operation: the time, the day, the language and new identifiers.
package struct Surroundings: Sendable {
    /// The time in milliseconds since 1970.
    package let milliseconds: Int64
    /// The current day on this device.
    package let today: Day
    /// The language, which determines how "1.234" is read and how names are ordered.
    package let language: Language
    /// Makes a unique identifier.
    package let makeID: @Sendable () -> RecordID

    /// Makes surroundings from their parts.
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
