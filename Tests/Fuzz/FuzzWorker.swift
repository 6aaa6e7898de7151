import ArgumentParser
import Foundation

/// Plays mutated inputs on one target until its time is over or an input fails.
struct FuzzWorker {
    private let name: String
    private let seconds: Int
    private let current: String
    private var mutator: Mutator

    /// - Parameter current: The file with the input being played. The supervisor reads it if this process crashes.
    init(_ name: String, seed: UInt64, seconds: Int, current: String) {
        (self.name, self.seconds, self.current) = (name, seconds, current)
        mutator = Mutator(seed: seed)
    }

    func run() throws {
        let target = try FuzzTargets.make(name)
        var mutator = mutator
        mutator.words += target.words
        // Inputs with a new answer are added to the pool and mutated further.
        var pool = target.samples
        var answers: Set<String> = []
        let file = open(current, O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw ExitCode(74) }
        defer { close(file) }
        let end = Date(timeIntervalSinceNow: Double(seconds))
        var count = 0
        var slowest = 0.0
        for sample in target.samples {
            guard try target.judge(sample) == nil else { return try fail(target, sample, file, "a sample fails: ") }
        }
        while Date() < end {
            for _ in 0..<100 {
                let input = mutator.mutated(of: pool, bytesMax: target.bytesMax)
                write(input, to: file)
                let began = Self.processorSeconds()
                let answer: String
                do { answer = try target.play(input) } catch let failure as FuzzFailure {
                    return try fail(target, input, file, failure.reason)
                }
                let took = (Self.processorSeconds() - began) / target.budget(input.count)
                slowest = max(slowest, took)
                // A single slow run may be chance, because other processes share the processor's caches.
                if took > 1, try target.judge(input) != nil { return try fail(target, input, file, nil) }
                if pool.count < 2000, answers.insert(answer).inserted { pool.append(input) }
                count += 1
            }
        }
        print(
            "\(name): \(count) inputs, \(answers.count) different answers, at most \(Int(slowest * 100)) % of the budget"
        )
    }

    private func fail(_ target: any FuzzTarget, _ input: [UInt8], _ file: Int32, _ reason: String?) throws {
        write(input, to: file)
        print("\(name): \(try reason ?? target.judge(input)?.description ?? "an input failed once and not again")")
        throw ExitCode(1)
    }

    private func write(_ input: [UInt8], to file: Int32) {
        pwrite(file, input, input.count, 0)
        ftruncate(file, off_t(input.count))
    }

    /// Returns the processor time of this thread in seconds.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
