internal import Synchronization

/// Random bytes from an injected generator, for several threads.
package final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    package init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    package func number() -> UInt64 {
        generator.withLock { $0.next() }
    }

    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 24) }
        }
    }
}
