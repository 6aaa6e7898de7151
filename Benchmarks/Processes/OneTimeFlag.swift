import Synchronization

/// Something that is said once, from one thread to another.
final class OneTimeFlag: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }

    /// Whether it was set; it is not afterwards.
    func take() -> Bool {
        isSet.withLock { flag in
            defer { flag = false }
            return flag
        }
    }
}
