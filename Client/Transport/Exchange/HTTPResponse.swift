/// What a server answered, whatever the status; a redirect is an answer like any other.
package struct HTTPResponse: Hashable, Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    /// Decompressed.
    package let body: [UInt8]
}
