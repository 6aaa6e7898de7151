internal import Foundation
internal import VirtualDisk

/// The disk of one device or of the server: files in memory that a crash can roll back to their synced state.
///
/// Each file has an empty counterpart of that name in the real folder, since programs check there before SQLite does.
package struct SimulatedDisk: Sendable {
    /// The kind of a crash, which decides what remains.
    package enum Crash: Int, Hashable, Sendable, CaseIterable {
        /// The process died: all its writes remain.
        case process = 0
        /// The power failed: writes that were not synced are kept, lost or torn, sector by sector.
        case power = 1
    }

    /// The unsynced writes that a crash took.
    package struct Losses: Hashable, Sendable {
        /// The number of sectors that are missing entirely, plus truncations and deletions that did not happen.
        package var lost: Int
        /// The number of sectors that are partly written.
        package var torn: Int

        fileprivate init(_ losses: virtual_disk_losses) {
            (lost, torn) = (Int(losses.lost), Int(losses.torn))
        }
    }

    /// The bytes of one database: its main file and its WAL.
    package struct Image: Hashable, Sendable {
        package var main: [UInt8]
        package var log: [UInt8]
    }

    package let name: String

    /// The folder of all disks of this process.
    static let top: String = {
        let folder = NSTemporaryDirectory() + "roost-simulation-\(ProcessInfo.processInfo.processIdentifier)"
        let result = virtual_disk_register(folder)
        precondition(result == 0, "SQLite does not take the virtual disk: \(result)")
        return folder
    }()

    package init(_ name: String) throws {
        self.name = name
        try FileManager.default.createDirectory(atPath: Self.top + "/" + name, withIntermediateDirectories: true)
        virtual_disk_remove(name)
    }

    /// Removes the real files that stand for the virtual ones.
    package static func removeAll() {
        try? FileManager.default.removeItem(atPath: top)
    }

    package func path(_ file: String) -> String { Self.top + "/" + name + "/" + file }

    /// The number of writes, truncations, syncs and deletions so far.
    package var operations: UInt64 { virtual_disk_operations(name) }
    /// Returns the number of all operations so far that failed by ``fail(after:with:count:)``: with a full disk, or with
    /// another error.
    package func failures(isFull: Bool) -> Int { Int(virtual_disk_failures(name, isFull ? 1 : 0)) }
    package var isDead: Bool { virtual_disk_is_dead(name) != 0 }

    /// Removes all files.
    package func clear() { virtual_disk_remove(name) }

    /// Counts ``operations`` from 0 again.
    package func startCounting() { virtual_disk_start_counting(name) }

    /// Makes the disk die in the operation number `operations` from now.
    package func die(after operations: UInt64) { virtual_disk_die_after(name, operations) }

    /// Makes `count` operations fail, from number `operations` from now on.
    package func fail(after operations: UInt64, with code: Int32, count: UInt64) {
        virtual_disk_fail_after(name, operations, code, count)
    }

    /// Ends the failures of ``fail(after:with:count:)``.
    package func mend() { fail(after: 0, with: 0, count: 0) }

    /// Syncs everything, as an operating system does by itself after a while.
    package func sync() { virtual_disk_sync(name) }

    /// Ends every open file.
    ///
    package func crash(_ crash: Crash, seed: UInt64) -> Losses {
        let kind = crash == .power ? virtual_disk_crash_power : virtual_disk_crash_process
        return Losses(virtual_disk_crash(name, kind, seed))
    }

    /// Writes to another disk what a power failure would leave of this one, which continues unchanged.
    package func losePower(into other: SimulatedDisk, seed: UInt64) -> Losses {
        Losses(virtual_disk_crash_into(name, other.name, seed))
    }

    package func image(of file: String) -> Image {
        Image(main: bytes(path(file)), log: bytes(path(file) + "-wal"))
    }

    /// Replaces a database that no connection has open.
    package func put(_ image: Image, as file: String) {
        write(image.main, path(file))
        write(image.log, path(file) + "-wal")
        placeMarks(for: file)
    }

    /// Copies the token stored next to a replica file. It is not a database, and therefore in the real folder.
    package func copyToken(of file: String, to other: SimulatedDisk) {
        let (from, to) = (path(file) + "-token", other.path(file) + "-token")
        try? FileManager.default.removeItem(atPath: to)
        try? FileManager.default.copyItem(atPath: from, toPath: to)
    }

    /// Makes the real folder match the virtual one.
    package func placeMarks(for file: String) {
        let files = FileManager.default
        if !files.fileExists(atPath: path(file)) { _ = files.createFile(atPath: path(file), contents: nil) }
        let log = path(file) + "-wal"
        if virtual_disk_size(log) > 0 {
            if !files.fileExists(atPath: log) { _ = files.createFile(atPath: log, contents: Data([0])) }
        } else {
            try? files.removeItem(atPath: log)
        }
    }

    /// Removes the real file, for a program that is to create it.
    package func removeMark(_ file: String) { try? FileManager.default.removeItem(atPath: path(file)) }

    /// Runs `body` with SQLite's clock at `time`, in milliseconds since 1970.
    package static func at<Result>(_ time: Int64, _ body: () throws -> Result) rethrows -> Result {
        let before = virtual_disk_set_time(time)
        defer { _ = virtual_disk_set_time(before) }
        return try body()
    }

    /// Seeds SQLite's own random numbers.
    package static func setRandom(_ seed: UInt64) { virtual_disk_set_random(seed | 1) }

    private func bytes(_ path: String) -> [UInt8] {
        let count = virtual_disk_size(path)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            virtual_disk_read(path, buffer.baseAddress, count)
            filled = count
        }
    }

    private func write(_ bytes: [UInt8], _ path: String) {
        bytes.withUnsafeBytes { virtual_disk_write(path, $0.baseAddress, $0.count) }
    }
}
