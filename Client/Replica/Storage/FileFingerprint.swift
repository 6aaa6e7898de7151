internal import CFile
internal import Foundation
internal import RoostModel
internal import Synchronization

/// The identity of a replica file, which tells it from any copy: the machine, the inode number and the time of creation.
///
/// A renamed file keeps its fingerprint. A copy has another one, even where it has taken the path and the inode number of a
/// deleted file. A copy of a whole disk, or a file that was overwritten in place, may have an equal fingerprint; the server then
/// notices the copy.
struct FileFingerprint: Hashable {
    let text: String

    /// - Throws: ``ReplicaError/Code/notFound`` where there is no such file.
    init(of path: String) throws(ReplicaError) {
        var (inode, born, device): (UInt64, UInt64, UInt64) = (0, 0, 0)
        guard cfile_identity(path, &inode, &born, &device) == 0 else {
            throw ReplicaError(.notFound, "Cannot open the replica \"\(path)\": there is no such file.")
        }
        // The device number changes with a restart of some machines, so it is used only where there is no time of creation.
        text = "\(Self.machine)-\(inode)-\(born > 0 ? "\(born)" : "on \(device)")"
    }

    /// The machine's hashed identifier, read once because it does not change while a process runs.
    private static let knownMachine = Mutex<String?>(nil)

    /// The machine's identifier, hashed because it must not be disclosed; empty where there is none.
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
