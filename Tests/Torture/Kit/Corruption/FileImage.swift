internal import Foundation
internal import RoostModel

/// The bytes of a database and its WAL, to be restored and corrupted repeatedly.
struct FileImage: Sendable {
    let path: String
    private let files: [(suffix: String, bytes: [UInt8])]

    /// Reads the files. No connection may have them open.
    init(of path: String) throws {
        self.path = path
        files = try ["", "-wal"].compactMap { suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return nil }
            return (suffix, Array(try Data(contentsOf: URL(filePath: path + suffix))))
        }
    }

    var hasLog: Bool { files.contains { $0.suffix == "-wal" && !$0.bytes.isEmpty } }

    /// Restores the files in place, so that they keep their inodes.
    func restore(to other: String? = nil, damaged: (suffix: String, bytes: [UInt8])? = nil) throws {
        let target = other ?? path
        for suffix in ["-shm", "-journal"] { try? FileManager.default.removeItem(atPath: target + suffix) }
        if !hasLog { try? FileManager.default.removeItem(atPath: target + "-wal") }
        for file in files {
            let bytes = file.suffix == damaged?.suffix ? damaged?.bytes ?? [] : file.bytes
            let descriptor = open(target + file.suffix, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard descriptor >= 0 else { throw SocketError(text: "cannot write \(target): errno \(errno)") }
            defer { close(descriptor) }
            _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Corrupts one of the files at a place that the generator draws.
    func damage(_ random: inout SplitMix64) -> Damage {
        // The WAL is small, and has all pending changes.
        let log = files.first { $0.suffix == "-wal" && !$0.bytes.isEmpty }
        let file = (Int.random(in: 0..<10, using: &random) < 3 ? log : nil) ?? files[0]
        var bytes = file.bytes
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let kind: Damage.Kind
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
            kind = .flip
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
        case 6..<9:
            kind = .zero
            let end = min(bytes.count, place + Int.random(in: 1...4096, using: &random))
            for index in place..<end { bytes[index] = 0 }
        default:
            kind = .truncate
            bytes = Array(bytes[..<place])
        }
        return Damage(kind: kind, suffix: file.suffix, place: place, bytes: bytes)
    }
}

/// The corruption of one file.
struct Damage: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable { case flip, zero, truncate }

    var kind: Kind
    /// The suffix of the corrupt file: empty for the database, `-wal` for its WAL.
    var suffix: String
    var place: Int
    /// The bytes of the corrupt file.
    var bytes: [UInt8]

    var isInLog: Bool { suffix == "-wal" }
    var description: String { "\(kind.rawValue) of the \(isInLog ? "log" : "database") at \(place)" }
}
