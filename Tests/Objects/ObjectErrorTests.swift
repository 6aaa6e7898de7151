import Objects
import Testing

@Suite struct ObjectErrorTests {
    @Test func descriptionNamesEveryProblem() {
        let error = ObjectError(.validation, "Cannot save.", problems: ["One.", "Two."])
        #expect("\(error)" == "Cannot save.\nOne.\nTwo.")
    }
}
