internal import Replica
internal import RoostModel
internal import RoostProtocol

/// The limits of a session's messages, from those of the protocol.
struct ExchangeLimits {
    let push: PushLimits
    let recordsPerRecover: Int
    /// Bytes of records up to which a reply to a push is complete. In a larger one, the next record may have been left out.
    private let currentBytesSure: Int

    init(_ limits: Limits) {
        push = PushLimits(limits)
        recordsPerRecover = limits.recordsPerRecoverMax
        currentBytesSure = limits.currentBytesMax - limits.putBytesMax - 1024
    }

    /// Whether a reply contains all records, and the server has left none out for its size.
    func isComplete(_ current: [RecordState]) -> Bool {
        current.reduce(0) { $0 + $1.protobuf().count } <= currentBytesSure
    }
}
