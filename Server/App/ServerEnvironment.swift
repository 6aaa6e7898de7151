internal import ArgumentParser
internal import RoostProtocol

/// The limits of protocol.md §10 from the environment.
enum ServerEnvironment {
    private static let setters: [String: @Sendable (inout Limits, Int) -> Void] = [
        "REQUEST_LINE_BYTES_MAX": { $0.requestLineBytesMax = $1 },
        "HEADER_BYTES_MAX": { $0.headerBytesMax = $1 },
        "HEADER_FIELDS_MAX": { $0.headerFieldsMax = $1 },
        "INVITE_HOURS_DEFAULT": { $0.inviteHoursDefault = $1 },
        "NAME_CHARACTERS_MAX": { $0.nameCharactersMax = $1 },
        "BODY_BYTES_MAX": { $0.bodyBytesMax = $1 },
        "DECOMPRESSED_BYTES_MAX": { $0.decompressedBytesMax = $1 },
        "COMPRESSION_RATIO_MAX": { $0.compressionRatioMax = $1 },
        "CHANGES_PER_PUSH_MAX": { $0.changesPerPushMax = $1 },
        "CHANGES_PER_TRANSACTION_MAX": { $0.changesPerTransactionMax = $1 },
        "TRANSACTION_BYTES_MAX": { $0.transactionBytesMax = $1 },
        "PUT_BYTES_MAX": { $0.putBytesMax = $1 },
        "PROPERTIES_PER_RECORD_MAX": { $0.propertiesPerRecordMax = $1 },
        "CLOCK_AHEAD_MILLISECONDS_MAX": { $0.clockAheadMillisecondsMax = UInt64($1) },
        "PAGE_BYTES_MAX": { $0.pageBytesMax = $1 },
        "WAIT_SECONDS_MAX": { $0.waitSecondsMax = $1 },
        "WAITS_PER_REPLICA_MAX": { $0.waitsPerReplicaMax = $1 },
        "CONNECTIONS_MAX": { $0.connectionsMax = $1 },
        "CONNECTIONS_PER_ADDRESS_MAX": { $0.connectionsPerAddressMax = $1 },
        "REPLICAS_PER_SCOPE_MAX": { $0.replicasPerScopeMax = $1 },
        "OPEN_INVITES_PER_SCOPE_MAX": { $0.openInvitesPerScopeMax = $1 },
        "RECORDS_PER_SCOPE_MAX": { $0.recordsPerScopeMax = $1 },
        "BYTES_PER_SCOPE_MAX": { $0.bytesPerScopeMax = $1 },
        "TRANSACTIONS_PER_SCOPE_MAX": { $0.transactionsPerScopeMax = $1 },
        "STAGED_BYTES_PER_SCOPE_MAX": { $0.stagedBytesPerScopeMax = $1 },
        "RENEWALS_PER_DAY_MAX": { $0.renewalsPerDayMax = $1 },
        "REQUESTS_PER_SECOND": { $0.requestsPerSecond = $1 },
        "REQUESTS_BURST": { $0.requestsBurst = $1 },
        "CHANGES_PER_HOUR_MAX": { $0.changesPerHourMax = $1 },
        "UNAUTHENTICATED_PER_MINUTE": { $0.unauthenticatedPerMinute = $1 },
        "INVITE_HOURS_MAX": { $0.inviteHoursMax = $1 },
        "RECORDS_PER_RECOVER_MAX": { $0.recordsPerRecoverMax = $1 },
        "RECOVERING_DAYS": { $0.recoveringDays = $1 },
        "HORIZON_DAYS": { $0.horizonDays = $1 },
        "SCHEMA_BYTES_MAX": { $0.schemaBytesMax = $1 },
    ]

    /// The maximum values of limits for which ``countMax`` is too large: the largest that a server can handle and clients
    /// accept.
    private static let most: [String: Int] = [
        // Clients of earlier versions read 16 MiB.
        "PAGE_BYTES_MAX": 8 << 20,
        "BYTES_PER_SCOPE_MAX": 1 << 40,
        "CONNECTIONS_MAX": 1_000_000,
        "INVITE_HOURS_DEFAULT": 876_000, "INVITE_HOURS_MAX": 876_000,
        "RECOVERING_DAYS": 36_500, "HORIZON_DAYS": 36_500,
        "WAIT_SECONDS_MAX": 3600,
    ]
    /// The minimum values of limits below which nothing could be stored. A device moves changes that the server refuses for
    /// their size to its journal, and does not resend them.
    private static let least: [String: Int] = [
        "REQUEST_LINE_BYTES_MAX": 256, "HEADER_BYTES_MAX": 1024, "HEADER_FIELDS_MAX": 8,
        "BODY_BYTES_MAX": 1024, "DECOMPRESSED_BYTES_MAX": 1024, "COMPRESSION_RATIO_MAX": 1,
        "CHANGES_PER_PUSH_MAX": 1, "CHANGES_PER_TRANSACTION_MAX": 1, "TRANSACTION_BYTES_MAX": 256, "PUT_BYTES_MAX": 256,
        "PROPERTIES_PER_RECORD_MAX": 1, "PAGE_BYTES_MAX": 256, "RECORDS_PER_RECOVER_MAX": 1, "SCHEMA_BYTES_MAX": 256,
        "CONNECTIONS_MAX": 1, "CONNECTIONS_PER_ADDRESS_MAX": 1, "REPLICAS_PER_SCOPE_MAX": 1, "REQUESTS_BURST": 1,
        "NAME_CHARACTERS_MAX": 1, "INVITE_HOURS_DEFAULT": 1, "INVITE_HOURS_MAX": 1, "RECORDS_PER_SCOPE_MAX": 1,
        "BYTES_PER_SCOPE_MAX": 1024,
    ]
    /// The maximum of all other limits, so that sums and products with bytes or milliseconds do not overflow.
    private static let countMax = Int(Int32.max)

    /// Reads `ROOST_<LIMIT>` variables.
    ///
    /// - Throws: A usage error naming the variable, for a value that is not a number from the minimum to the maximum of the
    ///   limit.
    static func limits(_ environment: [String: String]) throws -> Limits {
        var limits = Limits()
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("ROOST_") {
            let name = variable.dropFirst("ROOST_".count)
            // Other parts of Roost have variables of their own.
            guard let set = setters[String(name)] else { continue }
            let most = most[String(name)] ?? countMax
            let least = least[String(name)] ?? 0
            guard let number = Int(text), (least...most).contains(number) else {
                throw ValidationError(
                    "Cannot use \(variable)=\(text): expected a whole number from \(least) to \(most).")
            }
            set(&limits, number)
        }
        return limits
    }
}
