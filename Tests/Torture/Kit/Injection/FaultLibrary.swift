internal import Foundation
internal import Synchronization
internal import TestProcesses

/// The small library that is loaded into the programs to end them, or let a call fail, at a chosen one of their file calls.
///
/// It is compiled when it is first needed, by the C compiler that comes with the Swift toolchain.
enum FaultLibrary {
    private static let path = Mutex<String?>(nil)

    /// Where the compiled library is.
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
