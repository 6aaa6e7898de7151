/// A program that should have succeeded and did not.
package struct UnexpectedEnd: Error, CustomStringConvertible {
    package let program: String
    package let arguments: [String]
    package let output: Programs.Output

    package init(program: String, arguments: [String] = [], output: Programs.Output) {
        self.program = program
        self.arguments = arguments
        self.output = output
    }

    package var description: String { "\(program) \(arguments.joined(separator: " ")): \(output)" }
}
