import Foundation

/// A gate that blocks a thread until it is opened.
final class Gate: @unchecked Sendable {
    // Both flags are read and written only under the condition's lock.
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
