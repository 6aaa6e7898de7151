package import CekikapeyeRules

/// A day of the calendar, from the application's rules.
package typealias Day = PlainDate
