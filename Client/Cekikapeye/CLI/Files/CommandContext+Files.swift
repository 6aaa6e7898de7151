internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import RoostModel

extension CommandContext {
    /// Creates a group file and records it as the last used.
    func createGroup(at path: String, name: String, currency: Currency, people: [String]) throws -> ExpenseBook {
        do {
            return try remembering(
                ExpenseBook.create(
                    at: path, name: name, currency: currency, people: people, surroundings: surroundings))
        } catch let error as ReplicaError where error.code == .notFound {
            // The missing file is the folder of the new group, not an input.
            throw CommandError.cannotMake(error.message)
        }
    }

    /// Reads a file named on the command line.
    func bytes(ofFile path: String) throws(CommandError) -> [UInt8] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .noSuchFile(path) }
        guard !isFolder.boolValue else {
            throw .unreadable(path, reason: text("it is a folder", fr: "c'est un dossier"))
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw .unreadable(path, reason: text("you may not read it", fr: "la lecture n'est pas permise"))
        }
        do { return [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
            throw .unreadable(path, reason: text("the disk does not give it", fr: "le disque ne le donne pas"))
        }
    }
}
