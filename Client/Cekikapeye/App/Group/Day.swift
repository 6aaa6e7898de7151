package import CekikapeyeRules

/// A day of the calendar, as the rules of the application know it.
package typealias Day = CekikapeyeRules.PlainDate
