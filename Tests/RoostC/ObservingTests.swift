import Foundation
import RoostC
import RoostModel
import Synchronization
import Testing

/// Observations: events that are read, and callbacks without a payload.
@Suite(.onOwnThreads) struct ObservingTests {
    /// A callback's context: counts calls, and ends the observation with the first one if it has to.
    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
        let ended = Atomic<Int>(0)
        let observation = Atomic<Int64>(0)
        let milliseconds: UInt32

        init(sleeping milliseconds: UInt32 = 0) { self.milliseconds = milliseconds }

        var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
        static func at(_ pointer: UnsafeMutableRawPointer?) -> Counter? {
            pointer.map { Unmanaged<Counter>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private static let counting: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        guard let counter = Counter.at(pointer) else { return }
        counter.count.add(1, ordering: .relaxed)
        usleep(counter.milliseconds * 1000)
        counter.ended.add(1, ordering: .relaxed)
    }

    private static let ending: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        guard let counter = Counter.at(pointer) else { return }
        let observation = counter.observation.load(ordering: .acquiring)
        guard observation != 0 else { return }
        counter.count.add(1, ordering: .relaxed)
        let answer = try? CLibrary.answer { unobserve(observation, $0, $1) }
        if answer?.status == 0 { counter.ended.add(1, ordering: .relaxed) }
    }

    private func observe(
        _ replica: CReplica, _ json: String,
        _ callback: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil, _ counter: Counter? = nil
    ) throws -> Int64 {
        let (handle, answer) = try CLibrary.open(
            { RoostC.observe(replica.handle, $0, $1, callback, counter?.pointer, $2, $3, $4) }, json)
        guard answer.status == 0 else { throw JSONError(reason: answer.value.text, line: 1, column: 1) }
        return handle
    }

    private func next(_ observation: Int64, milliseconds: Int = 10_000) throws -> JSONValue? {
        let answer = try CLibrary.call(nextEvent, observation, "{\"timeoutMilliseconds\": \(milliseconds)}")
        guard answer.status == 0 else { throw JSONError(reason: answer.value.text, line: 1, column: 1) }
        return answer["event"]
    }

    @Test(.timeLimit(.minutes(2))) func aListBeginsWithItsRowsAndFollowsChanges() throws {
        let replica = try CReplica()
        let (person, spending) = try replica.addDinner()
        let list = try observe(
            replica, #"{"entity": "Spending", "sort": ["person.name", "content"], "sectionedBy": "person.name"}"#)
        let first = try next(list)
        #expect(first?["origins"] == .array([.string("initial")]))
        let section = first?["sections"]?.arrayValue?.first
        #expect(section?["name"] == .string("Ana"))
        #expect(section?["rows"]?.arrayValue?.first?["id"] == .string(spending))
        #expect(try next(list, milliseconds: 0) == .null)
        try replica.write(
            #"{"insert": "Spending", "values": {"content": "Cab", "amount": 1, "person": "\#(person)"}}"#)
        let second = try next(list)
        #expect(second?["origins"] == .array([.string("local")]))
        let inserted = second?["difference"]?["inserted"]?.arrayValue
        #expect(inserted?.count == 1 && inserted?.first?["at"] == .array([.integer(0), .integer(0)]))
        #expect(inserted?.first?["row"]?["content"] == .string("Cab"))
        #expect(try CLibrary.answer { unobserve(list, $0, $1) }.status == 0)
    }

    @Test(.timeLimit(.minutes(2))) func theStatusChangesWithWhatWaits() throws {
        let replica = try CReplica()
        let status = try observe(replica, "{}")
        #expect(try next(status)?["waiting"] == .integer(0))
        _ = try replica.addDinner()
        #expect(try next(status)?["waiting"] == .integer(2))
        #expect(try CLibrary.answer { unobserve(status, $0, $1) }.status == 0)
    }

    @Test(.timeLimit(.minutes(2))) func noCallbackRunsAfterTheEnd() throws {
        let replica = try CReplica()
        for _ in 0..<20 {
            let counter = Counter(sleeping: 20)
            let list = try observe(replica, #"{"entity": "Spending"}"#, Self.counting, counter)
            // The first event is ready at once.
            while counter.count.load(ordering: .relaxed) == 0 { usleep(100) }
            #expect(try CLibrary.answer { unobserve(list, $0, $1) }.status == 0)
            let (begun, ended) = (counter.count.load(ordering: .relaxed), counter.ended.load(ordering: .relaxed))
            #expect(begun == ended)
            _ = try replica.addDinner()
            usleep(20_000)
            #expect(counter.count.load(ordering: .relaxed) == begun)
        }
    }

    @Test(.timeLimit(.minutes(2))) func aCallbackEndsItsOwnObservation() throws {
        let replica = try CReplica()
        let counter = Counter()
        let list = try observe(replica, #"{"entity": "Spending"}"#, Self.ending, counter)
        counter.observation.store(list, ordering: .releasing)
        _ = try replica.addDinner()
        while counter.ended.load(ordering: .relaxed) == 0 { usleep(100) }
        _ = try replica.addDinner()
        usleep(50_000)
        #expect(counter.count.load(ordering: .relaxed) == 1)
        #expect(try CLibrary.answer { unobserve(list, $0, $1) }.code == "closedHandle")
    }

    /// Waits for an event for a minute.
    ///
    /// - Returns: The status of the call that waited. A call that meets ``untilBusy(_:)`` waits for nothing, and is repeated.
    private static func wait(_ observation: Int64) throws -> Int32 {
        while true {
            let status = try CLibrary.call(nextEvent, observation, #"{"timeoutMilliseconds": 60000}"#).status
            if status != ErrorNumber.busy { return status }
        }
    }

    /// Returns once another thread waits for an event.
    private func untilBusy(_ observation: Int64) throws {
        for _ in 0..<20_000 {
            if try CLibrary.call(nextEvent, observation).status == ErrorNumber.busy { return }
            usleep(1000)
        }
        Issue.record("No thread waits for an event.")
    }

    @Test(.timeLimit(.minutes(2))) func aWaitIsEndedFromAnotherThread() async throws {
        let replica = try CReplica()
        let list = try observe(replica, #"{"entity": "Spending"}"#)
        _ = try next(list)
        let waiting = Thread.result { try Self.wait(list) }
        try untilBusy(list)
        #expect(try CLibrary.answer { cancel(replica.handle, $0, $1) }["cancelled"] == .integer(1))
        #expect(try await waiting.value == ErrorNumber.cancelled)
        let again = Thread.result { try Self.wait(list) }
        try untilBusy(list)
        #expect(try CLibrary.answer { unobserve(list, $0, $1) }.status == 0)
        #expect(try await again.value == ErrorNumber.closed)
    }

    @Test(.timeLimit(.minutes(2))) func closingTheReplicaEndsWaits() async throws {
        let replica = try CReplica()
        let list = try observe(replica, #"{"entity": "Spending"}"#)
        _ = try next(list)
        let waiting = Thread.result { try Self.wait(list) }
        try untilBusy(list)
        #expect(try CLibrary.answer { closeReplica(replica.handle, $0, $1) }.status == 0)
        #expect(try await waiting.value == ErrorNumber.closed)
        #expect(try CLibrary.call(nextEvent, list).status == ErrorNumber.closed)
    }
}

extension Thread {
    /// Runs a call that blocks on a thread of its own.
    fileprivate static func result<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) -> Task<Value, any Error> {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try body() }) }.start()
            }
        }
    }
}
