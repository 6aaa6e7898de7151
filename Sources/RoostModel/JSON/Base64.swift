internal import Foundation

/// Base64 (RFC 4648 §4) with padding. Unused bits are zero, so that bytes have exactly one text.
package enum Base64 {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }

    package static func decode(_ text: String) -> [UInt8]? {
        guard let bytes = Data(base64Encoded: text).map(Array.init) else { return nil }
        // The last group may contain more bits than the bytes need.
        let rest = bytes.count % 3
        guard rest > 0 else { return bytes }
        return text.utf8.suffix(4).elementsEqual(encode(bytes.suffix(rest)).utf8) ? bytes : nil
    }
}
