internal import Foundation

/// Processor time of the calling thread, which the load of other processes does not affect.
package enum ProcessorTime {
    /// The seconds used by the calling thread.
    package static var ofThread: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the time that `body` takes for `many`, as a multiple of its time for `few`.
    package static func growth(from few: Int, to many: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        let start = ofThread
        try body(few)
        let middle = ofThread
        try body(many)
        return (ofThread - middle) / max(middle - start, 1e-6)
    }
}
