internal import Foundation
package import RoostModel

extension IdentifierForm {
    /// The form of the files in tests of layers above the file: bytes, or what the environment variable
    /// `ROOST_TEST_IDENTIFIERS` says. `scripts/test` runs these tests with both forms.
    package static let tested =
        ProcessInfo.processInfo.environment["ROOST_TEST_IDENTIFIERS"].flatMap { IdentifierForm(rawValue: $0) } ?? .bytes
}
