internal import Foundation
internal import GRDBSQLite

/// A shim on SQLite's file system (a VFS, sqlite.org/vfs.html) that writes a transaction into the write-ahead log in
/// batched calls. SQLite itself makes two calls for each page.
///
/// It changes when bytes of the log are handed to the system, but neither the bytes nor their order. It holds back only
/// bytes that one connection appends while it has the write lock, and that no connection reads. They are written before
/// SQLite counts the committing frame as written, and before any other operation on the log (see ``LogRun``). Files are
/// opened through the file system that is SQLite's default at registration, and other programs may use them without the
/// shim.
package enum CoalescingVFS {
    static let name = "roost-coalescing"

    /// Returns the name under which SQLite opens the file at `path` through the shim. Without support for URIs it returns
    /// `path` itself, and SQLite writes without the shim.
    package static func location(of path: String) -> String {
        guard isRegistered else { return path }
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        // Encodes bytes, not characters: a character may consist of a reserved sign and a combining mark. All other bytes
        // stand for themselves.
        let encoded = absolute.utf8.flatMap { byte in
            switch byte {
            case UInt8(ascii: "%"): Array("%25".utf8)
            case UInt8(ascii: "?"): Array("%3f".utf8)
            case UInt8(ascii: "#"): Array("%23".utf8)
            default: [byte]
            }
        }
        return "file://\(String(decoding: encoded, as: UTF8.self))?vfs=\(name)"
    }

    /// The result of the registration, made once in a process. SQLite keeps the pointers that it is given.
    private static let isRegistered: Bool = {
        guard sqlite3_compileoption_used("USE_URI") != 0, sqlite3_initialize() == SQLITE_OK,
            let real = sqlite3_vfs_find(nil), real.pointee.iVersion >= 2, let name = strdup(name)
        else { return false }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: passingOn(named: name, mxPathname: real.pointee.mxPathname))
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }()

    /// Makes a VFS that opens files with ``CoalescedFile`` and forwards every other call to the default file system.
    private static func passingOn(named name: UnsafePointer<CChar>, mxPathname: Int32) -> sqlite3_vfs {
        var vfs = sqlite3_vfs()
        vfs.iVersion = 2
        vfs.szOsFile = Int32(MemoryLayout<CoalescedFile>.stride)
        vfs.mxPathname = mxPathname
        vfs.zName = name
        vfs.xOpen = { _, name, file, flags, outFlags in
            guard let file, let real = sqlite3_vfs_find(nil) else { return SQLITE_CANTOPEN }
            return CoalescedFile.open(name, in: file, flags, outFlags, by: real)
        }
        vfs.xDelete = { _, name, syncs in CoalescingVFS.real { $0.pointee.xDelete($0, name, syncs) } }
        vfs.xAccess = { _, name, flags, result in CoalescingVFS.real { $0.pointee.xAccess($0, name, flags, result) } }
        vfs.xFullPathname = { _, name, count, out in
            CoalescingVFS.real { $0.pointee.xFullPathname($0, name, count, out) }
        }
        vfs.xRandomness = { _, count, bytes in CoalescingVFS.real { $0.pointee.xRandomness($0, count, bytes) } }
        vfs.xSleep = { _, microseconds in CoalescingVFS.real { $0.pointee.xSleep($0, microseconds) } }
        vfs.xCurrentTime = { _, days in CoalescingVFS.real { $0.pointee.xCurrentTime($0, days) } }
        vfs.xGetLastError = { _, count, text in CoalescingVFS.real { $0.pointee.xGetLastError($0, count, text) } }
        vfs.xCurrentTimeInt64 = { _, time in CoalescingVFS.real { $0.pointee.xCurrentTimeInt64($0, time) } }
        return vfs
    }

    private static func real(_ call: (UnsafeMutablePointer<sqlite3_vfs>) -> Int32) -> Int32 {
        sqlite3_vfs_find(nil).map(call) ?? SQLITE_ERROR
    }
}
