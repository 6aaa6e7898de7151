package import Foundation
import Synchronization

/// A process of a test, by `posix_spawn`. Waiting for its end takes no longer than that: Foundation's `Process.waitUntilExit` polls, and
/// takes up to 50 ms more.
package final class ChildProcess: Sendable {
    /// Where one of the standard streams leads.
    package enum Stream {
        case nothing
        case reading(URL)
        /// Truncates the file.
        case writing(URL)
        /// Adds to the file.
        case appending(URL)

        fileprivate var path: String {
            switch self {
            case .nothing: "/dev/null"
            case .reading(let url), .writing(let url), .appending(let url): url.path
            }
        }

        fileprivate var flags: Int32 {
            switch self {
            case .nothing: O_RDWR
            case .reading: O_RDONLY
            case .writing: O_WRONLY | O_CREAT | O_TRUNC
            case .appending: O_WRONLY | O_CREAT | O_APPEND
            }
        }
    }

    package struct End: Sendable {
        /// The exit status, or the number of the signal.
        package var status: Int32
        package var isSignalled: Bool
    }

    package let identifier: pid_t
    private let result = Mutex<End?>(nil)

    /// Starts a program in a process group of its own.
    ///
    /// - Parameters:
    ///   - environment: Added to that of the test.
    ///   - directory: The working directory; that of the test if left out.
    /// - Throws: `POSIXError` where it cannot be started.
    package init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], in directory: URL? = nil,
        input: Stream = .nothing, output: Stream, error: Stream
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, stream) in [input, output, error].enumerated() {
            posix_spawn_file_actions_addopen(&actions, Int32(descriptor), stream.path, stream.flags, 0o644)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A server within the tests ignores signals that the program is to have.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // `env` goes to the folder and becomes the program.
        let command = (directory.map { ["/usr/bin/env", "-C", $0.path] } ?? []) + [program.path] + arguments
        var argv = command.map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, command[0], &actions, &attributes, &argv, &envp)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
        identifier = child
    }

    /// How the process ended; `nil` while it runs.
    package var end: End? {
        result.withLock { end in
            var status: Int32 = 0
            if end == nil, waitpid(identifier, &status, WNOHANG) == identifier {
                let signal = status & 0x7F
                end =
                    signal == 0
                    ? End(status: status >> 8 & 0xFF, isSignalled: false) : End(status: signal, isSignalled: true)
            }
            return end
        }
    }

    /// Waits for the end. Several threads may.
    package func wait() -> End {
        while true {
            if let end { return end }
            var information = siginfo_t()
            // Leaves the process to be reaped by `end`.
            guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == 0 || errno == EINTR || end != nil
            else {
                preconditionFailure("Somebody else has waited for the process \(identifier).")
            }
        }
    }

    package func signal(_ number: Int32) {
        result.withLock { if $0 == nil { _ = kill(identifier, number) } }
    }
}
