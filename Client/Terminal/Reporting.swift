internal import ArgumentParser
internal import RoostModel

/// Runs the body of a command; what it throws is told in one way, and ends the program with its status.
///
/// - Parameter json: Whether the error is for a machine: `{"error": {"message": …, "status": …}}` on standard error.
package func reporting(_ program: String, json: Bool, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let status as ExitCode {
        throw status
    } catch {
        let status = ExitStatus(error)
        if json {
            let value = JSONValue.members(
                ("error", .members(("message", .string("\(error)")), ("status", .integer(status.rawValue)))))
            Console.note(value.text)
        } else {
            Console.note("\(program): \(error)")
        }
        throw ExitCode(status.rawValue)
    }
}
