internal import Foundation
internal import Replica

/// The identity of a store's file. Different names of one file have the same identity.
enum StoreFile: Hashable {
    case existing(FileNumber)
    /// A document that is not saved yet, by its path without symbolic links.
    case missing(String)

    init(_ path: String) {
        if let number = FileNumber(of: path) {
            self = .existing(number)
        } else {
            let url = URL(filePath: path)
            let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
            self = .missing(folder.appending(path: url.lastPathComponent).standardizedFileURL.path)
        }
    }
}
