internal import CFile
internal import Foundation
internal import RoostModel
internal import Synchronization

/// Tells a replica file from any copy of it: the machine, the file's number in its file system, and when it was made.
///
/// A file that is renamed keeps it. A copy has another one, also where it has taken the place and the number of a file that
/// was deleted. A copy of a whole disk, or a file that was overwritten in place, may have the same: then the server notices.
struct FileFingerprint: Hashable {
    let text: String

    /// - Throws: ``ReplicaError`` where there is no such file.
    init(of path: String) throws(ReplicaError) {
        var (inode, born, device): (UInt64, UInt64, UInt64) = (0, 0, 0)
        guard cfile_identity(path, &inode, &born, &device) == 0 else {
            throw ReplicaError(.notFound, "Cannot open the replica \"\(path)\": there is no such file.")
        }
        // The device's number changes with a restart of some machines, so it counts only where there is nothing better.
        text = "\(Self.machine)-\(inode)-\(born > 0 ? "\(born)" : "on \(device)")"
    }

    /// Read once: it stays the same while a process runs.
    private static let knownMachine = Mutex<String?>(nil)

    /// The machine's identifier, hashed, as it is not to be handed around; empty where there is none.
    private static var machine: String {
        knownMachine.withLock { known in
            if let known { return known }
            guard let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8) else { return "" }
            let machine = String(ContentHash(of: Array("roost \(text)".utf8)).value, radix: 16)
            known = machine
            return machine
        }
    }
}
