internal import Glibc
internal import RoostModel

/// The text of `roost_version`, which is never freed.
nonisolated(unsafe) private let versionText: UnsafePointer<CChar> = {
    let bytes = Array(RoostRelease.version.utf8CString)
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    text.initialize(from: bytes, count: bytes.count)
    return UnsafePointer(text)
}()

/// Returns the version of the library: `roost_version` of `roost.h`.
@c(roost_version)
public func version() -> UnsafePointer<CChar> { versionText }

/// Frees a text that a call has returned: `roost_free` of `roost.h`.
@c(roost_free)
public func freeText(_ text: UnsafeMutablePointer<CChar>?) -> Int32 {
    guard let text else { return 0 }
    guard !OwnProcess.isOther else { return text == OwnProcess.refusal.text ? 0 : ErrorKind.forked.rawValue }
    return ReturnedTexts.free(text) ? 0 : ErrorKind.misuse.rawValue
}

/// Ends the calls of a handle that wait: `roost_cancel` of `roost.h`.
@c(roost_cancel)
public func cancel(_ handle: Int64, _ out: TextPointer?, _ outLength: LengthPointer?) -> Int32 {
    Output(out, outLength).answer {
        let count =
            switch try HandleTable.shared.entry(handle) {
            case .opening(let waits): waits.cancelAll()
            case .replica(let replica): replica.cancel()
            case .observation(let observation): observation.cancel() ? 1 : 0
            }
        return .members(("cancelled", .integer(count)))
    }
}
