internal import CCurl

/// Sets options of an easy handle, and records the first one that libcurl refuses: every option is required.
struct EasyOptions {
    let easy: OpaquePointer
    private(set) var failure: CURLcode?

    init(_ easy: OpaquePointer) {
        self.easy = easy
    }

    mutating func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(easy, option, value)) }
    mutating func set(_ option: CURLoption, _ value: String?) { note(ccurl_set_text(easy, option, value)) }

    mutating func set(_ option: CURLoption, milliseconds: Duration) {
        let (seconds, attoseconds) = milliseconds.components
        // 0 would mean "no limit"; 10⁹ ms are 11 days.
        let whole = min(max(seconds, 0), 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
        set(option, Int(max(whole, 1)))
    }

    mutating func note(_ code: CURLcode) {
        if code != CURLE_OK, failure == nil { failure = code }
    }
}
