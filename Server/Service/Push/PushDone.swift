/// A push that is durable.
struct PushDone: Sendable {
    /// The encoded reply.
    let reply: [UInt8]
    let effects: PushEffects
    /// The generation of ``ScopeTails`` before the push.
    let generation: Int
    /// The reading of the server's clock that was stored with the push; `nil` if none was.
    let clock: UInt64?
}
