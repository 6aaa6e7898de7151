internal import ArgumentParser
internal import Roost
internal import RoostModel

/// Runs the body of a command, reports an error that it throws, and exits with the error's status.
///
/// - Parameter json: Whether errors are written for programs: `{"error": {"message": …, "status": …}}` on standard
///   error. If a predicate is wrong, the object also has its text and the `column` of the fault, counted from 1;
///   without JSON a caret marks the column.
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
            // The line breaks are the program's own: ``RoostError`` removes those of a server's text.
            for line in "\(program): \(error)".utf8.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            {
                Console.note(Console.printable(String(decoding: line, as: UTF8.self)))
            }
        }
        throw ExitCode(status.rawValue)
    }
}
