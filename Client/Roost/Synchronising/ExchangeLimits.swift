internal import Replica
internal import RoostModel
internal import RoostProtocol

/// The limits of what a session sends and receives, from those of the protocol.
struct ExchangeLimits {
    let push: PushLimits
    let recordsPerRecover: Int
    /// Bytes of records up to which a reply to a push is complete. The next record might not have found room.
    private let currentBytesSure: Int

    init(_ limits: Limits) {
        push = PushLimits(limits)
        recordsPerRecover = limits.recordsPerRecoverMax
        currentBytesSure = limits.currentBytesMax - limits.putBytesMax - 1024
    }

    /// Whether the server has left no record out of a reply for its size.
    func isComplete(_ current: [RecordState]) -> Bool {
        current.reduce(0) { $0 + $1.protobuf().count } <= currentBytesSure
    }
}
