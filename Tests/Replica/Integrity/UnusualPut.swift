import RoostModel

/// A spending in a form that another client may write.
struct UnusualPut: CustomStringConvertible, Sendable {
    let description: String
    let bytes: [UInt8]
    var isRegular = false

    private static let target = [UInt8](repeating: 7, count: 16)
    private static let reference: [UInt8] = [0x0A, 20, 0x08, 8, 0x12, 16] + target

    private static func put(_ references: [UInt8], _ content: [UInt8]) -> [UInt8] {
        references + [0x12, UInt8(content.count)] + content
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] { [0x0A, UInt8(bytes.count)] + bytes }
    private static let tea = field([0x08, 1, 0x12, 3] + Array("tea".utf8))
    private static let paid = field([0x08, 12, 0x28, 1])

    private static func rate(_ number: Double) -> [UInt8] {
        ContentCoding.encode([.init(property: PropertyID(11), value: .double(number))])
    }

    static let usual = put(reference, tea + field([0x08, 2, 0x18, 10]) + rate(1.5) + paid)

    static let all = [
        UnusualPut(description: "usual", bytes: usual, isRegular: true),
        UnusualPut(description: "little", bytes: put([], tea), isRegular: true),
        UnusualPut(
            description: "unknown attribute", bytes: put([], tea + field([0x08, 99, 0x18, 3])), isRegular: true),
        UnusualPut(description: "nil without a default", bytes: put([], tea + field([0x08, 3])), isRegular: true),
        UnusualPut(description: "nil of one with a default", bytes: put([], tea + field([0x08, 2])), isRegular: true),
        UnusualPut(description: "infinite", bytes: put([], tea + rate(.infinity)), isRegular: true),
        UnusualPut(
            description: "unknown reference", bytes: put([0x0A, 20, 0x08, 99, 0x12, 16] + target, tea), isRegular: true),
        UnusualPut(description: "negative zero", bytes: put([], tea + rate(-0.0))),
        UnusualPut(description: "no number", bytes: put([], tea + rate(.nan))),
        UnusualPut(description: "true as 2", bytes: put([], tea + field([0x08, 12, 0x28, 2]))),
        UnusualPut(description: "long true", bytes: put([], tea + field([0x08, 12, 0x28, 0x81, 0]))),
        UnusualPut(description: "long property", bytes: put([], field([0x08, 0x81, 0, 0x12, 3] + Array("tea".utf8)))),
        UnusualPut(description: "value first", bytes: put([], field([0x12, 3] + Array("tea".utf8) + [0x08, 1]))),
        UnusualPut(
            description: "two values", bytes: put([], field([0x08, 1, 0x18, 4, 0x12, 3] + Array("tea".utf8)))),
        UnusualPut(description: "fields in another order", bytes: put([], paid + tea)),
        UnusualPut(description: "target first", bytes: put([0x0A, 20, 0x12, 16] + target + [0x08, 8], tea)),
        UnusualPut(
            description: "text that is not UTF-8",
            bytes: put(reference, field([0x08, 1, 0x12, 4, 0x74, 0xFF, 0xC3, 0x61]))),
        UnusualPut(description: "field beside a value", bytes: put([], field([0x08, 1, 0x12, 1, 0x61, 0x48, 9]))),
        UnusualPut(
            description: "value of a later form", bytes: put(reference, tea + field([0x08, 11, 0x3A, 2, 1, 2]))),
        UnusualPut(description: "field within the content", bytes: put([], tea + [0x10, 7])),
        UnusualPut(
            description: "field beside a target", bytes: put([0x0A, 22, 0x08, 8, 0x12, 16] + target + [0x18, 1], tea)),
        UnusualPut(description: "content first", bytes: [0x12, UInt8(tea.count)] + tea + reference),
        UnusualPut(description: "field of a later version", bytes: put(reference, tea) + [0x18, 5]),
        UnusualPut(description: "content twice", bytes: put(reference, tea) + [0x12, UInt8(paid.count)] + paid),
        UnusualPut(description: "empty content besides", bytes: put(reference, tea) + [0x12, 0]),
    ]
}
