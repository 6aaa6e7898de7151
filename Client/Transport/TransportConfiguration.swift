/// What holds for every request of a transport; the defaults are those of the security chapter.
package struct TransportConfiguration: Hashable, Sendable {
    /// A PEM file with the only authorities to trust; `nil` trusts the system's.
    package var authoritiesFile: String?
    /// A proxy's URL; `nil` uses none, whatever the environment says.
    package var proxy: String?
    package var connectTimeout: Duration = .seconds(10)
    /// Bytes of a response's body after decompression; the largest transaction that a server stores makes a page of 22 MiB.
    package var responseBytesMax = 32 * 1024 * 1024
    /// Bytes of a response's header lines.
    package var headerBytesMax = 64 * 1024
    /// Connections open at once; further requests wait for one.
    package var connectionsMax = 48
    /// Requests that may wait or run at once; more are refused as ``TransportError/Cause/exhausted``.
    package var requestsMax = 1024
    package var userAgent = "roost"

    package init() {}
}
