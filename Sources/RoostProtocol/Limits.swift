/// Every limit of the protocol, with its default; a server states its own in `GET /v1/version` (protocol.md §10).
package struct Limits: Hashable, Sendable {
    /// Bytes of a request line.
    package var requestLineBytesMax = 8 * 1024
    /// Bytes of all header fields together.
    package var headerBytesMax = 16 * 1024
    package var headerFieldsMax = 64
    /// Bytes of a request body as it is sent.
    package var bodyBytesMax = 4 * 1024 * 1024
    /// Bytes of a request body, or of a page, after decompression.
    package var decompressedBytesMax = 16 * 1024 * 1024
    /// How many times larger than sent a body may become, looked at after its first 64 KiB.
    package var compressionRatioMax = 100
    /// Changes in one push.
    package var changesPerPushMax = 10_000
    /// Changes in one transaction, which may span several pushes.
    package var changesPerTransactionMax = 100_000
    /// Bytes of all puts of one transaction.
    package var transactionBytesMax = 12 * 1024 * 1024
    /// Bytes of one encoded put.
    package var putBytesMax = 256 * 1024
    /// References and attributes of one record.
    package var propertiesPerRecordMax = 128
    /// How far ahead of the server's clock a stamp may be.
    package var clockAheadMillisecondsMax: UInt64 = 5 * 60 * 1000
    /// Bytes of the records of one page, unless one transaction alone is larger.
    package var pageBytesMax = 1024 * 1024
    /// Bytes of records in `current` of a reply to a push.
    package var currentBytesMax = 4 * 1024 * 1024
    /// Seconds that a pull may wait for something new.
    package var waitSecondsMax = 55
    package var waitsPerReplicaMax = 2
    package var connectionsMax = 4096
    package var connectionsPerAddressMax = 64
    /// Devices of a scope, revoked ones not counted; a device counts once, however many replicas it was given.
    package var replicasPerScopeMax = 64
    /// Renewals of one device in 24 hours.
    package var renewalsPerDayMax = 10
    package var openInvitesPerScopeMax = 20
    package var recordsPerScopeMax = 1_000_000
    package var bytesPerScopeMax = 512 * 1024 * 1024
    /// Transactions of a scope in all its time: each leaves some bytes behind for good.
    package var transactionsPerScopeMax = 20_000_000
    /// Bytes of parts of transactions that wait for their rest, of all devices of a scope.
    package var stagedBytesPerScopeMax = 64 * 1024 * 1024
    /// Requests of one replica in a second, and how many may come at once.
    package var requestsPerSecond = 20
    package var requestsBurst = 60
    /// Changes of one replica in an hour.
    package var changesPerHourMax = 300_000
    /// Requests without a valid token from one address in a minute.
    package var unauthenticatedPerMinute = 10
    package var inviteHoursDefault = 72
    package var inviteHoursMax = 30 * 24
    /// Records in one request that brings back what the server lost.
    package var recordsPerRecoverMax = 1000
    /// Days that a scope takes such requests after its server was restored.
    package var recoveringDays = 30
    /// Days after which deleted records are purged, and a replica that was away must pull everything anew; 0 for never.
    package var horizonDays = 90
    /// Bytes of a schema file.
    package var schemaBytesMax = 256 * 1024
    /// Characters of a device's or scope's name.
    package var nameCharactersMax = 100

    /// Records that one commit of a purge removes; those that go together may be more. No client depends on it.
    package var recordsPerPurgeMax = 1000
    /// Identifiers of purged records under one sequence, so that a page has an end: where all of their records were written again with
    /// the largest puts, these are 12 MiB, and a client takes 16 MiB. No client depends on it.
    package var namesPerSequenceMax = 48

    package init() {}
}
