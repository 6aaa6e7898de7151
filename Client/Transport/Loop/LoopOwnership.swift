/// A multi handle that is passed to the thread that will own it.
///
/// `@unchecked Sendable`: the value is made before the thread starts and read once, by that thread. libcurl allows
/// a handle to move between threads as long as no two use it concurrently. The mailbox, which also has the handle,
/// only calls `curl_multi_wakeup`.
struct LoopOwnership: @unchecked Sendable {
    let multi: OpaquePointer
}
