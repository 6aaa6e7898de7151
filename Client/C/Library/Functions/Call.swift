internal import Replica
internal import RoostModel

/// The address of the text that a call returns.
public typealias TextPointer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
/// The address of the length of the text that a call returns.
public typealias LengthPointer = UnsafeMutablePointer<Int>
/// The address of the handle that a call returns.
public typealias HandlePointer = UnsafeMutablePointer<Int64>

/// The JSON that a function was given, and the addresses of its result.
struct Call {
    /// The name of the function, for messages.
    let function: String
    let json: UnsafePointer<CChar>?
    let length: Int
    let output: Output

    init(
        _ function: String, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?,
        _ outLength: LengthPointer?
    ) {
        self.function = function
        self.json = json
        self.length = length
        output = Output(out, outLength)
    }

    /// Carries out a function of a replica. All members of the JSON have to be read.
    func answer(_ handle: Int64, _ body: (inout Members, ReplicaEntry) throws -> JSONValue) -> Int32 {
        output.answer {
            var members = try Members(function, json, length)
            return try body(&members, try HandleTable.shared.replica(handle))
        }
    }

    /// Carries out a function of a replica that takes no members.
    func answer(_ handle: Int64, _ body: (ReplicaEntry) throws -> JSONValue) -> Int32 {
        answer(handle) { members, entry in
            try members.end()
            return try body(entry)
        }
    }

    /// Carries out a function that returns a new handle. The handle is 0 where it fails.
    func answer(_ handle: HandlePointer?, _ body: (inout Members, HandlePointer) throws -> JSONValue) -> Int32 {
        handle?.pointee = 0
        return output.answer {
            guard let handle else {
                throw CallError(.misuse, "nullPointer", "Cannot return the handle of \(function): its pointer is NULL.")
            }
            do {
                var members = try Members(function, json, length)
                return try body(&members, handle)
            } catch {
                handle.pointee = 0
                throw error
            }
        }
    }
}

extension JSONValue {
    /// The result of a call that has nothing to say.
    static var nothing: JSONValue { .object([]) }

    /// Joins the members of two objects.
    static func + (left: JSONValue, right: JSONValue) -> JSONValue {
        .object((left.members ?? []) + (right.members ?? []))
    }
}

extension Membership {
    /// The membership as a JSON object. It has no token.
    var json: JSONValue {
        .members(
            ("scope", .string(scope.description)), ("scopeName", .string(scopeName)), ("role", .string(role.rawValue)),
            ("server", .string(server)), ("replica", .string(replica.description)))
    }
}
