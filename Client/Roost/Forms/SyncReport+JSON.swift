package import RoostModel

extension SyncReport {
    /// The report as a JSON object, for programs.
    package var json: JSONValue {
        .members(
            ("pushed", .integer(pushed)), ("pulled", .integer(pulled)), ("beaten", .integer(beaten)),
            ("refused", .integer(refused)), ("hidden", .integer(hidden)), ("shown", .integer(shown)),
            ("broughtBack", .integer(broughtBack)), ("lost", .integer(lost)), ("forgotten", .integer(forgotten)),
            ("corrected", .integer(corrected)), ("notices", .array(notices.map { .string($0) })),
            ("upToDate", .boolean(isUpToDate)), ("state", .string(state)),
            ("digest", digest.map { .string($0.description) }))
    }
}
