import CekikapeyeRules

/// People and expenses with short names for tests.
enum Samples {
    static func person(_ number: Int) throws -> PersonID { try PersonID(identifier(number, group: "0000")) }
    static func people(_ count: Int) throws -> [PersonID] { try (1...count).map { try person($0) } }
    static func expense(_ number: Int) throws -> ExpenseID { try ExpenseID(identifier(number, group: "1111")) }

    private static func identifier(_ number: Int, group: String) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + "-\(group)-4000-8000-000000000000"
    }
}
