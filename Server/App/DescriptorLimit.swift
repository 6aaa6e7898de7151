internal import Glibc
internal import Logging

/// The operating system's limit of open files and connections of this process.
enum DescriptorLimit {
    /// The number of files that the server itself opens: its store, its loops, its log.
    static let own = 64

    /// Raises the limit, as far as the operating system allows, to the number that the connections need.
    ///
    /// Operating systems start processes with a limit of 1,024. With more connections than that, new ones would wait
    /// instead of being refused.
    ///
    /// - Throws: ``Failure`` if there are too few for the server itself, which could then fail at any moment.
    static func raise(for connections: Int, _ logger: Logger) throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let needed = rlim_t(connections + own)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        guard limit.rlim_cur >= rlim_t(own) else {
            throw Failure(
                "Cannot serve: the system allows this process \(limit.rlim_cur) open files, it needs at least \(own). Raise the limit (ulimit -n).",
                .ioError)
        }
        if limit.rlim_cur < needed {
            logger.warning(
                "fewer open files are allowed than connections may come",
                metadata: ["allowed": "\(limit.rlim_cur)", "needed": "\(needed)"])
        }
    }
}
