/// A push that is durable.
struct PushDone: Sendable {
    /// The encoded reply.
    let reply: [UInt8]
    let effects: PushEffects
    /// Of the ends of logs in memory, from before the push.
    let generation: Int
    /// The reading of the server's clock that was stored with the push, if one was.
    let clock: UInt64?
}
