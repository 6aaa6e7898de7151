internal import ArgumentParser
internal import Terminal

/// A command of the program. All commands have common options, and report failures in one place.
protocol BookCommand: AsyncParsableCommand {
    var common: CommonOptions { get }

    /// Runs the command.
    func run(in context: CommandContext) async throws
}

extension BookCommand {
    func run() async throws {
        let context = CommandContext(common, environment: .current())
        do {
            try await run(in: context)
            if let reason = context.screen.faultReason { throw CommandError.outputIncomplete(reason) }
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = Failure(error, language: context.language)
            context.screen.report(failure, asJSON: common.json)
            throw ExitCode(failure.status.rawValue)
        }
    }
}
