import SchemaGenerator
import Testing

@Suite struct GenerationOptionsTests {
    @Test(arguments: [
        ("{}", GenerationOptions()), (#"{"access": "public"}"#, GenerationOptions(accessLevel: .public)),
        (#"{"structs": true, "leveledImports": true}"#, GenerationOptions(form: .structs, imports: .leveled)),
        (#"{"structs": false, "leveledImports": false}"#, GenerationOptions()),
    ])
    func eachKeyMayBeMissing(_ text: String, _ options: GenerationOptions) throws {
        #expect(try GenerationOptions(json: text) == options)
    }

    @Test(arguments: [
        (#"{"access": "open"}"#, #""access" is "open", expected internal, package or public."#),
        (#"{"access": 1}"#, #""access" is 1, expected internal, package or public."#),
        (#"{"structs": "yes"}"#, #""structs" is a string, expected true or false."#),
        (#"{"struct": true}"#, #"The option "struct" is not known. Write access, structs or leveledImports."#),
        ("[]", #"The options are an array, expected {"access": "public"}, for instance."#),
    ])
    func aMistakeIsNamed(_ text: String, message: String) {
        let error = #expect(throws: GenerationOptions.Problem.self) { try GenerationOptions(json: text) }
        #expect(error?.description == message)
    }

    @Test func aTextThatIsNoJSONIsNamed() {
        let error = #expect(throws: GenerationOptions.Problem.self) { try GenerationOptions(json: "access: public") }
        #expect(error?.description.hasPrefix("The options cannot be read: line 1, column 1: ") == true)
    }
}
