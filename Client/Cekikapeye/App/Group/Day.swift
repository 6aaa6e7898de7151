package import CekikapeyeRules

/// A calendar day, from the application's rules.
package typealias Day = PlainDate
