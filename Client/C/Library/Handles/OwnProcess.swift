internal import Glibc
internal import RoostModel
internal import Synchronization

/// The process that uses the library. A fork of it has neither its threads nor its locks, and gets an error.
enum OwnProcess {
    /// The process that has opened the first replica; 0 before that.
    private static let number = Atomic<Int32>(0)

    /// The error object of each call in a fork. It is made before there can be a fork, and never freed.
    nonisolated(unsafe) static let refusal: (text: UnsafeMutablePointer<CChar>, length: Int) = {
        let error = CallError(
            .forked, "forked", "Cannot use Roost in this process: it is a fork of the process that uses the library.")
        let bytes = error.json.encoded
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
        text[bytes.count] = 0
        return (text, bytes.count)
    }()

    /// Whether this process is a fork of the one that uses the library.
    static var isOther: Bool {
        let owner = number.load(ordering: .acquiring)
        return owner != 0 && owner != getpid()
    }

    /// Makes this process the one that uses the library, where there is none yet.
    static func claim() {
        _ = refusal
        _ = number.compareExchange(expected: 0, desired: getpid(), ordering: .acquiringAndReleasing)
    }
}
