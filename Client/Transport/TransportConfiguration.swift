/// The settings for every request of a transport. The defaults are those of the security chapter.
package struct TransportConfiguration: Hashable, Sendable {
    /// A PEM file with the only certificate authorities to trust; `nil` trusts the system's.
    package var authoritiesFile: String?
    /// A proxy's URL; `nil` uses none and ignores the environment variables.
    package var proxy: String?
    package var connectTimeout: Duration = .seconds(10)
    /// The maximum size of a response's body, in bytes after decompression. The largest transaction that a server
    /// stores makes a page of 22 MiB.
    package var responseBytesMax = 32 * 1024 * 1024
    /// The maximum size of a response's header lines, in bytes.
    package var headerBytesMax = 64 * 1024
    /// The maximum number of open connections; further requests wait for one.
    package var connectionsMax = 48
    /// The maximum number of requests that wait or run; further ones are refused with ``TransportError/Cause/exhausted``.
    package var requestsMax = 1024
    package var userAgent = "roost"

    package init() {}
}
