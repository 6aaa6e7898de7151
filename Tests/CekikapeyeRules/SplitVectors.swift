/// The content of `Vectors/split.json`.
struct SplitVectors: Decodable {
    struct Vector: Decodable {
        let name: String
        let expense: String
        let total: Int64
        let split: String
        let paid: [String: Int64]
        let consumed: [String: Int64]
    }

    let vectors: [Vector]
}
