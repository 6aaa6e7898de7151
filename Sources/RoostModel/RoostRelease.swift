/// The release of Roost.
package enum RoostRelease {
    /// The version that every program prints for `--version`, and the server returns from `GET /v1/version`.
    package static let version = "0.1.0"
}
