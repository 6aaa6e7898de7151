/// A server's response, whatever its status. A redirect is a response like any other.
package struct HTTPResponse: Hashable, Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    /// The decompressed body.
    package let body: [UInt8]
}
