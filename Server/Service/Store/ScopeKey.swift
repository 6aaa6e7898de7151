/// A store's short key of a scope. It never leaves the server.
package struct ScopeKey: Hashable, Sendable {
    package let rawValue: Int64

    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }
}
