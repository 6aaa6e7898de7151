internal import Glibc

/// A lock with a condition that threads wait for, up to a time of the monotonic clock.
///
/// The memory of the lock does not move, and is only given to functions of pthreads, which may be called from any thread.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` while no other thread is in the monitor.
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Leaves the monitor until another thread calls ``notifyAll()``, or until the deadline. Called inside ``locked(_:)``.
    ///
    /// - Returns: `false` once the deadline has passed. A wait may also end without a notification.
    func wait(until deadline: Deadline?) -> Bool {
        guard let deadline else { return pthread_cond_wait(condition, mutex) == 0 }
        var time = deadline.time
        return pthread_cond_timedwait(condition, mutex, &time) == 0
    }

    /// Ends the waits of all threads. Called inside ``locked(_:)``.
    func notifyAll() { pthread_cond_broadcast(condition) }
}

/// A moment of the monotonic clock.
struct Deadline {
    fileprivate let time: timespec

    /// Makes the moment that is so far away from now, at most a year.
    init(after duration: Duration) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let nanoseconds = now.tv_nsec + Int(duration.components.attoseconds / 1_000_000_000)
        time = timespec(
            tv_sec: now.tv_sec + Int(duration.components.seconds) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}
