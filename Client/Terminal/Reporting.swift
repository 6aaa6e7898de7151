internal import ArgumentParser
internal import Roost
internal import RoostModel

/// Runs the body of a command; what it throws is told in one way, and ends the program with its status.
///
/// - Parameter json: Whether the error is for a machine: `{"error": {"message": …, "status": …}}` on standard error, with the text and
///   the `column`, from 1, where a predicate is wrong; for people a caret shows it.
package func reporting(_ program: String, json: Bool, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let status as ExitCode {
        throw status
    } catch {
        let status = ExitStatus(error)
        if json {
            let predicate = error as? FetchPredicateError
            let place = predicate.flatMap { $0.text.isEmpty ? nil : $0 }
            let value = JSONValue.members(
                ("message", .string(predicate?.message ?? "\(error)")), ("status", .integer(status.rawValue)),
                ("text", place.map { .string($0.text) }), ("column", place.map { .integer($0.column) }))
            Console.note(Console.printableJSON(JSONValue.members(("error", value)).text))
        } else {
            // Its lines are the program's own; a server's text has none (``RoostError``).
            for line in "\(program): \(error)".utf8.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            {
                Console.note(Console.printable(String(decoding: line, as: UTF8.self)))
            }
        }
        throw ExitCode(status.rawValue)
    }
}
