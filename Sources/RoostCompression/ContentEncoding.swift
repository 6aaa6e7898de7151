/// The compression of a body, under its name in HTTP (`Content-Encoding`).
package enum ContentEncoding: String, Hashable, Sendable, CaseIterable {
    case identity
    case gzip
    case zstd
}
