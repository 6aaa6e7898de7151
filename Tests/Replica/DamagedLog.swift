import Foundation
import GRDB

/// A copy of a replica's file and its WAL, taken while the replica was open, to be corrupted.
final class DamagedLog {
    let path: String
    private let folder: URL
    private let frameBytes: Int

    /// - Parameter write: Fills the WAL.
    init(_ write: (TemporaryReplica) throws -> Void) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.plain.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
        }
        try write(file)
        frameBytes = try file.count("PRAGMA page_size") + 24
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "damaged.roost").path
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: file.path + suffix, toPath: path + suffix)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The number of frames in the WAL.
    var frames: Int { get throws { (try log.count - 32) / frameBytes } }

    /// - Parameter frame: The number of the frame, from 1.
    func flip(frame: Int, byte: Int) throws { try flip(32 + (frame - 1) * frameBytes + byte) }

    func flip(header byte: Int) throws { try flip(byte) }

    /// Removes the last bytes of the WAL.
    func cut(_ bytes: Int) throws { try write(try log.dropLast(bytes)) }

    private var log: Data { get throws { try Data(contentsOf: URL(filePath: path + "-wal")) } }

    private func flip(_ place: Int) throws {
        var bytes = try log
        bytes[place] ^= 1
        try write(bytes)
    }

    private func write(_ bytes: Data) throws { try bytes.write(to: URL(filePath: path + "-wal")) }
}
