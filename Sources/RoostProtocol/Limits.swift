/// All limits of the protocol, with their defaults. A server states its own in `GET /v1/version` (protocol.md §10).
package struct Limits: Hashable, Sendable {
    /// The bytes of a request line.
    package var requestLineBytesMax = 8 * 1024
    /// The bytes of all header fields together.
    package var headerBytesMax = 16 * 1024
    package var headerFieldsMax = 64
    /// The bytes of a request body as it is sent.
    package var bodyBytesMax = 4 * 1024 * 1024
    /// The bytes of a request body, or of a page, after decompression.
    package var decompressedBytesMax = 16 * 1024 * 1024
    /// The ratio of a body's decompressed size to its size as sent, checked after its first 64 KiB.
    package var compressionRatioMax = 100
    /// The changes in one push.
    package var changesPerPushMax = 10_000
    /// The changes in one transaction, which may span several pushes.
    package var changesPerTransactionMax = 100_000
    /// The bytes of all puts of one transaction.
    package var transactionBytesMax = 12 * 1024 * 1024
    /// The bytes of one encoded put.
    package var putBytesMax = 256 * 1024
    /// The references and attributes of one record.
    package var propertiesPerRecordMax = 128
    /// The milliseconds by which a stamp may be ahead of the server's clock.
    package var clockAheadMillisecondsMax: UInt64 = 5 * 60 * 1000
    /// The bytes of the records of one page, unless one transaction alone is larger.
    package var pageBytesMax = 1024 * 1024
    /// The bytes of the records in `current` of a push reply.
    package var currentBytesMax = 4 * 1024 * 1024
    /// The seconds that a pull may wait for new data.
    package var waitSecondsMax = 55
    package var waitsPerReplicaMax = 2
    package var connectionsMax = 4096
    package var connectionsPerAddressMax = 64
    /// The devices of a scope, without revoked ones. A device counts once, however many replicas were registered for it.
    package var replicasPerScopeMax = 64
    /// The renewals of one device in 24 hours.
    package var renewalsPerDayMax = 10
    package var openInvitesPerScopeMax = 20
    package var recordsPerScopeMax = 1_000_000
    package var bytesPerScopeMax = 512 * 1024 * 1024
    /// The transactions of a scope over its whole life: each leaves some bytes behind permanently.
    package var transactionsPerScopeMax = 20_000_000
    /// The bytes of all staged parts of incomplete transactions, of all devices of a scope.
    package var stagedBytesPerScopeMax = 64 * 1024 * 1024
    /// The requests of one replica in a second, and the size of a burst.
    package var requestsPerSecond = 20
    package var requestsBurst = 60
    /// The changes of one replica in an hour.
    package var changesPerHourMax = 300_000
    /// The requests without a valid token from one address in a minute.
    package var unauthenticatedPerMinute = 10
    package var inviteHoursDefault = 72
    package var inviteHoursMax = 30 * 24
    /// The records in one request that brings back records that the server lost.
    package var recordsPerRecoverMax = 1000
    /// The days after a restore of the server during which a scope accepts requests that bring records back.
    package var recoveringDays = 30
    /// The days after which deleted records are purged, and a replica that was away needs a full resynchronisation; 0 for
    /// never.
    package var horizonDays = 90
    /// The bytes of a schema file.
    package var schemaBytesMax = 256 * 1024
    /// The characters of a device's or scope's name.
    package var nameCharactersMax = 100

    /// The records that one commit of a purge removes. Records that have to be purged together may be more. No client
    /// depends on it.
    package var recordsPerPurgeMax = 1000
    /// The identifiers of purged records under one sequence, which bounds the size of a page. If all of those records were
    /// written again with the largest puts, the page has 12 MiB, and a client accepts 16 MiB. No client depends on it.
    package var namesPerSequenceMax = 48

    package init() {}
}
