import Foundation
import Objects
import Replica
import Testing

@Suite struct ObjectErrorTests {
    @Test func descriptionNamesEveryProblem() {
        let error = ObjectError(.validation, "Cannot save.", problems: ["One.", "Two."])
        #expect("\(error)" == "Cannot save.\nOne.\nTwo.")
    }

    @Test func whatTheStoreSaidIsKept() throws {
        let library = try TestLibrary()
        try library.replica.close()
        try Data("no database at all, but some text".utf8).write(to: URL(filePath: library.replica.path))
        let error = #expect(throws: ObjectError.self) {
            try library.context().fetch(FetchRequest<ManagedObject>("Author"))
        }
        #expect(error?.code == .store)
        #expect(error?.cause?.code == .notAReplica)
        #expect(error?.cause?.message == error?.message)
    }
}
