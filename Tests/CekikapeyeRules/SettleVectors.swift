/// The content of `Vectors/settle.json`.
struct SettleVectors: Decodable {
    struct Vector: Decodable {
        let name: String
        let currency: String
        let balances: [String: Int64]
        let isMinimal: Bool
        let transfers: [Transfer]
    }

    struct Transfer: Decodable, Equatable {
        let from: String
        let to: String
        let amount: Int64
    }

    let vectors: [Vector]
}
