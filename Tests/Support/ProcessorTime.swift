internal import Foundation

/// Processor time used by a process, which does not grow while others use the processor.
package enum ProcessorTime {
    /// Seconds of the thread that asks.
    package static var ofThread: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How many times as long `body` takes for `many` as for `few`.
    package static func growth(from few: Int, to many: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        let start = ofThread
        try body(few)
        let middle = ofThread
        try body(many)
        return (ofThread - middle) / max(middle - start, 1e-6)
    }
}
