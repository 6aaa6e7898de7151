internal import RoostModel
internal import RoostProtocol
internal import RoostService

extension SyncResponder {
    /// Returns the facts for clients without a token: versions, limits and the time.
    func version() -> JSONValue {
        let limits = settings.limits
        return .members(
            ("server", .string(settings.version)), ("protocol", .array([.integer(1)])),
            (
                "limits",
                .members(
                    ("bodyBytesMax", .integer(limits.bodyBytesMax)),
                    ("decompressedBytesMax", .integer(limits.decompressedBytesMax)),
                    ("compressionRatioMax", .integer(limits.compressionRatioMax)),
                    ("changesPerPushMax", .integer(limits.changesPerPushMax)),
                    ("changesPerTransactionMax", .integer(limits.changesPerTransactionMax)),
                    ("transactionBytesMax", .integer(limits.transactionBytesMax)),
                    ("putBytesMax", .integer(limits.putBytesMax)),
                    ("propertiesPerRecordMax", .integer(limits.propertiesPerRecordMax)),
                    ("clockAheadMillisecondsMax", .integer(limits.clockAheadMillisecondsMax)),
                    ("pageBytesMax", .integer(limits.pageBytesMax)),
                    ("currentBytesMax", .integer(limits.currentBytesMax)),
                    ("waitSecondsMax", .integer(limits.waitSecondsMax)),
                    ("waitsPerReplicaMax", .integer(limits.waitsPerReplicaMax)),
                    ("replicasPerScopeMax", .integer(limits.replicasPerScopeMax)),
                    ("renewalsPerDayMax", .integer(limits.renewalsPerDayMax)),
                    ("transactionsPerScopeMax", .integer(limits.transactionsPerScopeMax)),
                    ("stagedBytesPerScopeMax", .integer(limits.stagedBytesPerScopeMax)),
                    ("openInvitesPerScopeMax", .integer(limits.openInvitesPerScopeMax)),
                    ("recordsPerScopeMax", .integer(limits.recordsPerScopeMax)),
                    ("bytesPerScopeMax", .integer(limits.bytesPerScopeMax)),
                    ("requestsPerSecond", .integer(limits.requestsPerSecond)),
                    ("requestsBurst", .integer(limits.requestsBurst)),
                    ("changesPerHourMax", .integer(limits.changesPerHourMax)),
                    ("unauthenticatedPerMinute", .integer(limits.unauthenticatedPerMinute)),
                    ("inviteHoursMax", .integer(limits.inviteHoursMax)),
                    ("recordsPerRecoverMax", .integer(limits.recordsPerRecoverMax)),
                    ("horizonDays", .integer(limits.horizonDays)),
                    ("schemaBytesMax", .integer(limits.schemaBytesMax)),
                    ("nameCharactersMax", .integer(limits.nameCharactersMax)))
            ), ("serverTime", .integer(service.now)))
    }
}
