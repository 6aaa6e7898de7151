/// Which Roost this is.
package enum RoostRelease {
    /// What every program answers to `--version`, and the server to `GET /v1/version`.
    package static let version = "0.1.0"
}
