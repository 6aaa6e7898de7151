internal import Foundation

/// The shared page that tells a process with the fault library at which of its file calls to fail, and that counts its calls.
/// It outlives the process.
final class FaultControl: Sendable {
    /// The counted file calls; `faults.c` has the numbers too.
    enum Call: Int, CaseIterable, Sendable {
        case write, pwrite, fsync, fdatasync, ftruncate, rename, unlink, create, open, read, pread, mkdir, allocate,
            link

        /// All calls that change a file or a folder, or make it durable.
        static let changing: [Call] = [
            .write, .pwrite, .fsync, .fdatasync, .ftruncate, .rename, .unlink, .create, .mkdir, .allocate, .link,
        ]
        static let writing: [Call] = [.write, .pwrite]
    }

    enum Fault: Hashable, Sendable, CustomStringConvertible {
        case killBefore, killAfter
        /// The call writes half of its bytes.
        case killHalfway
        /// - Parameter calls: The number of consecutive calls that fail; `nil` for all from then on.
        case error(Int32, calls: Int?)

        var description: String {
            switch self {
            case .killBefore: "killed before"
            case .killAfter: "killed after"
            case .killHalfway: "killed halfway"
            case .error(let number, let calls):
                "\(Self.names[number] ?? "errno \(number)")\(calls == nil ? " from then on" : "")"
            }
        }

        private static let names: [Int32: String] = [
            ENOSPC: "ENOSPC", EIO: "EIO", EMFILE: "EMFILE", EDQUOT: "EDQUOT", EROFS: "EROFS",
        ]
    }

    /// The call of a process that met the fault.
    struct Met: Sendable {
        var call: Call
        /// The file's name, without its folder.
        var file: String
    }

    let path: String
    /// The environment variables that a process needs.
    let environment: [String: String]

    /// - Parameter under: Only files below this folder count.
    init(in folder: URL, under: URL) throws {
        path = folder.appending(path: "faults-\(UUID().uuidString)").path
        try Data(count: 4096).write(to: URL(filePath: path))
        environment = [
            "LD_PRELOAD": try FaultLibrary.compiled(), "ROOST_FAULTS": path, "ROOST_FAULTS_UNDER": under.path,
        ]
    }

    /// Restarts counting, and makes the call number `call` meet `fault`; 0 for none.
    func arm(_ call: Int, _ fault: Fault = .killBefore, counting calls: [Call] = Call.changing) throws {
        var how: Int64 = 0
        var error: Int64 = 0
        var length: Int64 = 0
        switch fault {
        case .killBefore: how = 0
        case .killAfter: how = 1
        case .killHalfway: how = 2
        case .error(let number, let calls):
            (how, error, length) = (3, Int64(number), Int64(calls ?? -1))
        }
        let kinds = calls.reduce(Int64(0)) { $0 | 1 << Int64($1.rawValue) }
        let fields: [Int64] = [0, Int64(call), how, error, length, 0, kinds, -1]
        var page = Data()
        for field in fields { withUnsafeBytes(of: field) { page.append(contentsOf: $0) } }
        page.append(Data(count: 4096 - page.count))
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: page)
        try handle.close()
    }

    /// The number of counted calls.
    var calls: Int { Int(field(0)) }

    /// The number of calls that met the fault.
    var faults: Int { Int(field(5)) }

    /// Files that were written since their last sync, with a sync that met the fault and no successful one since.
    var unsynced: [String] {
        let page = page
        return (0..<14).compactMap { index in
            let place = Self.filesPlace + index * 256
            let isUnsynced = page.dropFirst(place).first == 3
            let bytes = page.dropFirst(place + 8).prefix(248).prefix { $0 != 0 }
            return isUnsynced ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }

    /// The offset of the list of files: after 8 numbers, 16 counts and a path.
    private static let filesPlace = (8 + 16) * 8 + 256

    /// The first call that met the fault.
    var met: Met? {
        guard faults > 0, let call = Call(rawValue: Int(field(7))) else { return nil }
        let bytes = page.dropFirst((8 + 16) * 8).prefix(256).prefix { $0 != 0 }
        let path = String(decoding: bytes, as: UTF8.self)
        return Met(call: call, file: URL(filePath: path).lastPathComponent)
    }

    private var page: Data { (try? Data(contentsOf: URL(filePath: path))) ?? Data(count: 4096) }

    private func field(_ index: Int) -> Int64 {
        page.dropFirst(index * 8).prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
