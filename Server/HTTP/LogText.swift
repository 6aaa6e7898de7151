/// Untrusted text for a log: shortened, with control characters escaped.
enum LogText {
    static func escaped(_ text: some StringProtocol, charactersMax: Int = 200) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(charactersMax) {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.properties.isBidiControl
                || scalar.value == 0x2028 || scalar.value == 0x2029
            {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
