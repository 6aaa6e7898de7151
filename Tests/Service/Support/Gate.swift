import Foundation

/// Holds a thread until it is opened.
final class Gate: @unchecked Sendable {
    // Both flags are read and written under the condition's lock only.
    private let condition = NSCondition()
    private var isOpen = false
    private var isBusy = false

    var isWaitedFor: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isBusy
    }

    func wait() {
        condition.lock()
        isBusy = true
        while !isOpen { condition.wait() }
        condition.unlock()
    }

    func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }
}
