package import ArgumentParser
package import Roost

/// The option `--file-limit` of programs that pull.
package struct FileLimitOption: ParsableArguments {
    @Option(help: "MiB that a file may have for more to be pulled.")
    package var fileLimit = SyncBounds().fileBytesMax >> 20

    package init() {}

    package func validate() throws {
        guard (1...1_000_000_000).contains(fileLimit) else {
            throw ValidationError("--file-limit is \(fileLimit), expected 1 or more.")
        }
    }

    /// The default bounds with this file limit.
    package var bounds: SyncBounds {
        var bounds = SyncBounds()
        bounds.fileBytesMax = fileLimit << 20
        return bounds
    }
}
