internal import Foundation
internal import RoostModel

/// The secret arguments of a process.
package enum SecretArguments {
    /// Overwrites the tokens of invite links in the memory from which the system shows a process's arguments to every
    /// user of the machine.
    ///
    /// Call it first, since a link is visible until then. A link that is read from standard input is never visible.
    package static func hide() {
        // This makes `CommandLine` copy the arguments before they are overwritten.
        _ = CommandLine.arguments
        #if os(Linux)
            guard let (start, end) = place, let bytes = UnsafeMutablePointer<UInt8>(bitPattern: start), end > start
            else {
                return
            }
            let arguments = UnsafeMutableBufferPointer(start: bytes, count: end - start)
            let mark = Array("roost_i_".utf8)
            var index = 0
            while index + mark.count <= arguments.count {
                guard arguments[index..<index + mark.count].elementsEqual(mark) else {
                    index += 1
                    continue
                }
                index += mark.count
                while index < arguments.count, arguments[index] != 0 {
                    arguments[index] = UInt8(ascii: "x")
                    index += 1
                }
            }
        #endif
    }

    /// Reads a link that was given as `-` from standard input.
    package static func link(_ argument: String) -> String {
        guard argument == "-" else { return argument }
        return (readLine() ?? "").trimmingCharacters(in: .whitespaces)
    }

    /// The addresses at which the arguments begin and end, as the system reports them.
    private static var place: (start: Int, end: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let name = text.utf8.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        // The addresses are fields 48 and 49 of proc(5). Field 3 is the first after the name.
        let fields = text[text.utf8.index(after: name)...].parts(at: " ")
        guard fields.count > 46, let start = Int(fields[45]), let end = Int(fields[46]) else { return nil }
        return (start, end)
    }
}
