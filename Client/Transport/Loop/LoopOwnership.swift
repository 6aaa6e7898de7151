/// A multi handle on its way to the thread that will own it.
///
/// `@unchecked Sendable`: it is made before the thread starts and read once, by that thread; libcurl lets a handle move
/// between threads as long as no two use it at once, and the mailbox that also knows it only rings its bell.
struct LoopOwnership: @unchecked Sendable {
    let multi: OpaquePointer
}
