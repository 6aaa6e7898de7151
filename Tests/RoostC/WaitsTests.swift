import Foundation
import RoostModel
import Testing

@testable import RoostC

/// Threads that wait for asynchronous work.
@Suite(.onOwnThreads) struct WaitsTests {
    @Test func theValueAndTheErrorOfTheWorkAreReturned() throws {
        let waits = Waits()
        #expect(try waits.wait("count") { 7 } == 7)
        #expect(throws: CocoaError.self) { try waits.wait("count") { throw CocoaError(.fileNoSuchFile) } }
    }

    @Test(.timeLimit(.minutes(1))) func aDeadlineEndsTheWork() throws {
        let error = #expect(throws: CallError.self) {
            try Waits().wait(upTo: .milliseconds(20), "sleep") { try await Task.sleep(for: .seconds(600)) }
        }
        #expect(error?.kind == .timeout)
    }

    @Test(.timeLimit(.minutes(1))) func cancellingEndsCallsThatWaitAndClosingLaterOnes() throws {
        let waits = Waits()
        let thread = Thread {
            while waits.cancelAll() == 0 { usleep(1000) }
        }
        thread.start()
        let error = #expect(throws: CallError.self) {
            try waits.wait("sleep") { try await Task.sleep(for: .seconds(600)) }
        }
        #expect(error?.kind == .cancelled)
        waits.close()
        let later = #expect(throws: CallError.self) {
            try waits.wait("sleep") { try await Task.sleep(for: .seconds(600)) }
        }
        #expect(later?.kind == .cancelled)
    }

    @Test func everyErrorHasANextStepAndANameOfItsOwn() {
        #expect(Set(ErrorKind.allCases.map(\.name)).count == 12)
        for kind in ErrorKind.allCases {
            let json = CallError(kind, "code", "Cannot.").json
            #expect(json["next"]?.stringValue?.isEmpty == false && json["kind"]?.stringValue == kind.name)
        }
    }
}
