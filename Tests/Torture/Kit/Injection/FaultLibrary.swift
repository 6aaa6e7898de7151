internal import Foundation
internal import Synchronization
internal import TestProcesses

/// The small library that is loaded into the programs to kill them, or make a call fail, at a chosen file call.
///
/// The C compiler of the Swift toolchain compiles it on first use.
enum FaultLibrary {
    private static let path = Mutex<String?>(nil)

    /// Returns the path of the compiled library.
    static func compiled() throws -> String {
        try path.withLock { path in
            if let path { return path }
            let folder = FileManager.default.temporaryDirectory.appending(path: "roost-faults-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let library = folder.appending(path: "libfaults.so").path
            let source = Programs.repository.appending(path: "Tests/Torture/Faults/faults.c").path
            let output = try Programs.run(
                "clang", ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source])
            guard output.status == 0 else { throw UnexpectedEnd(program: "clang", output: output) }
            path = library
            return library
        }
    }
}
