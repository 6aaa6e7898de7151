// swift-tools-version: 6.1
import PackageDescription

/// `scripts/simulate --prove` puts mistakes into the rooms that the tests must find: into these alone, so that what they depend on is
/// built once (Docs/decisions/0032-seeded-bugs.md).
let seededBugs: [SwiftSetting] =
    Context.environment["ROOST_SEEDED_BUGS"] == "1" ? [.define("ROOST_SEEDED_BUGS")] : []

/// What every room is compiled with: mistakes stop the build.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + seededBugs

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
/// SQLite as GRDB has it.
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let http: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOExtras", package: "swift-nio-extras"),
]
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// A room: one responsibility, one folder, and the rooms it may see.
func room(
    _ name: String, at path: String, uses dependencies: [Target.Dependency] = [], excluding: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, exclude: excluding, swiftSettings: strict)
}

/// A program: arguments, configuration and wiring around one room.
func program(
    _ name: String, at path: String, uses dependencies: [Target.Dependency], excluding: [String] = []
) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, exclude: excluding, swiftSettings: strict)
}

/// The C library `name` as installed by the system's package `package`.
func library(_ name: String, at path: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// The tests of one room.
func tests(_ name: String, uses dependencies: [Target.Dependency], excluding: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)", exclude: excluding,
        swiftSettings: strict)
}

let package = Package(
    name: "roost",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Roost", targets: ["Roost", "Objects"]),
        // The functions of libroost, which the package in Client/C links into a shared library.
        .library(name: "RoostC", targets: ["RoostC"]),
        .plugin(name: "RoostClasses", targets: ["RoostClasses"]),
        .plugin(name: "RoostGenerate", targets: ["RoostGenerate"]),
        .executable(name: "roost", targets: ["RoostCLI"]),
        .executable(name: "roostd", targets: ["RoostDaemon"]),
        .executable(name: "roost-server", targets: ["RoostServer"]),
        .executable(name: "roost-bench", targets: ["RoostBench"]),
        .executable(name: "cekikapeye", targets: ["CekikapeyeCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        room("RoostModel", at: "Sources/RoostModel", uses: [crypto]),
        room("RoostSQLite", at: "Sources/RoostSQLite", uses: ["RoostModel", grdb, sqlite]),
        room("RoostMerge", at: "Sources/RoostMerge", uses: ["RoostModel"]),
        library("CSQLite", at: "Client/CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        .systemLibrary(name: "CFile", path: "Client/CFile"),
        room(
            "Replica", at: "Client/Replica",
            uses: ["RoostModel", "RoostMerge", "RoostProtocol", "RoostSQLite", "CSQLite", "CFile", grdb],
            excluding: ["README.md"]),
        room("Predicates", at: "Client/Predicates", uses: ["RoostModel", grdb]),
        room(
            "Objects", at: "Client/Objects",
            uses: ["RoostModel", "RoostMerge", "RoostSQLite", "Replica", "Predicates", grdb]),
        library("CCurl", at: "Client/CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        room("Transport", at: "Client/Transport", uses: ["CCurl"]),
        room("Session", at: "Client/Session", uses: ["RoostModel", "RoostProtocol"], excluding: ["SessionTable.md"]),
        room(
            "Roost", at: "Client/Roost",
            uses: ["RoostModel", "RoostProtocol", "RoostCompression", "Replica", "Objects", "Session", "Transport"]),
        room(
            "RoostC", at: "Client/C/Library",
            uses: ["Roost", "Replica", "Objects", "Predicates", "RoostModel", "RoostMerge"]),
        room("Terminal", at: "Client/Terminal", uses: ["RoostModel", "Replica", "Roost", arguments]),
        program(
            "RoostCLI", at: "Client/CLI",
            uses: ["Roost", "Replica", "Objects", "RoostModel", "RoostMerge", "SchemaGenerator", "Terminal", arguments]),
        program(
            "RoostDaemon", at: "Client/Daemon",
            uses: ["Roost", "Replica", "RoostModel", "Terminal", arguments, logging, lifecycle, signals]),
        room("SchemaGenerator", at: "Client/Generate", uses: ["RoostModel"]),
        // Plugins for packages of users, and the program that both run.
        .plugin(
            name: "RoostClasses", capability: .buildTool(), dependencies: ["roost-schema-tool"],
            path: "Client/Plugins/RoostClasses"),
        .plugin(
            name: "RoostGenerate",
            capability: .command(
                intent: .custom(verb: "generate-classes", description: "Writes classes next to each *.schema.json."),
                permissions: [.writeToPackageDirectory(reason: "It writes the classes next to their schema files.")]),
            dependencies: ["roost-schema-tool"], path: "Client/Plugins/RoostGenerate"),
        program(
            "roost-schema-tool", at: "Client/Plugins/Tool", uses: [],
            excluding: ["Generate/Exports.swift", "Model/Content/SHA256Digest.swift"]),
        room("CekikapeyeModel", at: "Client/Cekikapeye/Model", uses: ["Objects"]),
        room(
            "CekikapeyeApp", at: "Client/Cekikapeye/App",
            uses: ["CekikapeyeRules", "CekikapeyeModel", "Objects", "Replica", "RoostModel"]),
        program(
            "CekikapeyeCLI", at: "Client/Cekikapeye/CLI",
            uses: [
                "CekikapeyeApp", "CekikapeyeRules", "Roost", "Replica", "RoostModel", "Terminal", arguments,
            ]),
        room("CekikapeyeRules", at: "Client/Cekikapeye/Rules"),

        // Examples of the object layer: programs, which the tests play and scripts/packages builds as a user's package does.
        program(
            "spending-list", at: "Examples/SpendingList",
            uses: ["Roost", "Objects"], excluding: ["README.md", "spendings.schema.json"]),
        program(
            "library-catalogue", at: "Examples/LibraryCatalogue", uses: ["Roost", "Objects"],
            excluding: ["README.md", "catalogue.schema.json"]),
        program(
            "core-data-course", at: "Examples/CoreDataCourse", uses: ["Roost", "Objects"],
            excluding: ["README.md", "core-data.txt", "trip.schema.json"]),
        program(
            "shared-list", at: "Examples/SharedList", uses: ["Roost", "Objects"],
            excluding: ["README.md", "spendings.schema.json"]),

        library("CZstd", at: "Sources/CZstd", pkgConfig: "libzstd", package: "libzstd-dev"),
        library("CZlib", at: "Sources/CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        room("RoostCompression", at: "Sources/RoostCompression", uses: ["CZstd", "CZlib"]),
        room("RoostProtocol", at: "Sources/RoostProtocol", uses: ["RoostModel"], excluding: ["roost.proto"]),

        library("CSQLiteStore", at: "Server/Stores/CSQLiteStore", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        room("RoostService", at: "Server/Service", uses: ["RoostModel", "RoostMerge", "RoostProtocol", crypto]),
        room("MemoryStore", at: "Server/Stores/Memory", uses: ["RoostModel", "RoostService"]),
        room(
            "SQLiteStore", at: "Server/Stores/SQLite",
            uses: ["RoostModel", "RoostProtocol", "RoostService", "RoostSQLite", "CSQLiteStore", grdb]),
        room(
            "ServerHTTP", at: "Server/HTTP",
            uses: ["RoostModel", "RoostProtocol", "RoostService", "RoostCompression", logging, lifecycle, signals]
                + http),
        program(
            "RoostServer", at: "Server/App",
            uses: [
                "RoostModel", "RoostMerge", "RoostProtocol", "RoostService", "MemoryStore", "SQLiteStore", "ServerHTTP",
                arguments, logging,
            ]),

        // What the programs that measure work with.
        room("BenchmarkData", at: "Benchmarks/Data", uses: ["RoostModel", "Replica", "CSQLite"]),
        // A slow link between processes of one machine, and what went over it.
        room("ShapedLink", at: "Benchmarks/Link"),
        program(
            "RoostBench", at: "Benchmarks",
            uses: [
                "BenchmarkData", "ShapedLink", "Roost", "Replica", "Objects", "RoostModel", "RoostProtocol",
                "RoostCompression", "Session", "Transport", "CSQLite", arguments, grdb,
            ],
            excluding: ["Data", "Instructions", "Link", "Peers", "results", "instructions.json", "hot-functions.txt"]),
        program(
            "roost-instructions", at: "Benchmarks/Instructions",
            uses: [
                "BenchmarkData", "Objects", "Replica", "Session", "Roost", "RoostModel", "RoostProtocol",
                "RoostCompression", "RoostService", "SQLiteStore", arguments,
            ]),

        // The programs as real processes; shared by the tests end to end and by the torture.
        room("TestProcesses", at: "Tests/Processes"),
        .target(
            name: "VirtualDisk", path: "Tests/VirtualDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The simulator, and the foreign writer that writes replicas as any program of SQLite would.
        .target(
            name: "Simulation",
            dependencies: [
                "RoostModel", "RoostMerge", "RoostProtocol", "Replica", "Session", "Roost", "RoostService",
                "MemoryStore", "SQLiteStore", "CSQLite", "VirtualDisk",
            ],
            path: "Tests/Simulation", exclude: ["Program", "Tests"], sources: ["Simulator", "Foreign"],
            swiftSettings: strict),
        program(
            "roost-simulate", at: "Tests/Simulation/Program", uses: ["Replica", "RoostModel", "Simulation", arguments]),
        // Mutated inputs for all that reads bytes of others: no product, for nobody uses it but scripts/fuzz.
        program(
            "roost-fuzz", at: "Tests/Fuzz",
            uses: ["RoostModel", "RoostProtocol", "Transport", "Replica", "Predicates", "CekikapeyeRules", arguments]),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Simulation", "Replica", "RoostModel", "RoostProtocol", "TestScope", "VirtualDisk"],
            path: "Tests/Simulation/Tests", swiftSettings: strict),
        room("TestSupport", at: "Tests/Support", uses: ["RoostModel", "RoostMerge"]),
        // What replicas exchange through where no server is needed.
        room("TestScope", at: "Tests/Scope", uses: ["Replica", "RoostModel", "RoostMerge", "RoostProtocol"]),
        // A server that answers byte by byte what a test says, or never.
        room("TestLoopback", at: "Tests/Loopback"),
        // Another program beside Roost's own connections.
        room("TestPlainSQL", at: "Tests/PlainSQL", uses: [grdb]),
        tests("RoostModel", uses: ["RoostModel", "TestSupport"]),
        tests("RoostSQLite", uses: [grdb, "RoostModel", "RoostSQLite", "Simulation"]),
        tests("RoostProtocol", uses: ["RoostProtocol", "RoostModel"]),
        tests("SchemaGenerator", uses: ["SchemaGenerator", "RoostModel"]),
        tests("CekikapeyeModel", uses: ["CekikapeyeModel", "Objects", "SchemaGenerator", "RoostModel"]),
        tests("Project", uses: []),
        tests(
            "CekikapeyeApp",
            uses: ["CekikapeyeApp", "CekikapeyeRules", "Replica", "RoostModel", "TestPlainSQL", "TestSupport"]),
        tests(
            "ProtocolTranscripts", uses: ["RoostProtocol", "RoostModel"],
            excluding: ["schema.json", "06-push", "07-pull"]),
        tests("Service", uses: ["RoostModel", "RoostProtocol", "RoostService", "MemoryStore"]),
        tests(
            "StoreContract",
            uses: [
                "RoostModel", "RoostMerge", "RoostProtocol", "RoostService", "MemoryStore", "SQLiteStore",
                "TestSupport", grdb,
            ], excluding: ["Formats"]),
        tests(
            "ServerHTTP",
            uses: [
                "RoostModel", "RoostProtocol", "RoostService", "RoostCompression", "MemoryStore", "SQLiteStore",
                "ServerHTTP", "RoostServer", "TestSupport", logging, grdb,
            ]),
        tests("RoostMerge", uses: ["RoostMerge", "RoostModel", "TestSupport"]),
        tests(
            "Replica",
            uses: [
                grdb, "CSQLite", "Replica", "RoostMerge", "RoostModel", "RoostProtocol", "TestSupport", "TestScope",
            ]),
        tests("Predicates", uses: ["Predicates", "Replica", "RoostModel", "RoostSQLite", "TestSupport", grdb]),
        tests(
            "Objects", uses: ["Objects", "Replica", "RoostModel", "TestSupport", "TestScope", "TestPlainSQL", grdb],
            excluding: ["library", "registry", "samples"].map { "Generated/\($0).schema.json" }),
        tests(
            "Examples",
            uses: [
                "spending-list", "library-catalogue", "core-data-course", "SchemaGenerator", "Objects", "Replica",
                "RoostModel",
            ]),
        tests("Transport", uses: ["Transport", "TestLoopback"]),
        tests("Session", uses: ["Session", "RoostModel", "RoostProtocol"]),
        tests(
            "Roost",
            uses: [
                grdb, "Roost", "Replica", "Session", "Transport", "TestLoopback", "TestPlainSQL", "RoostProtocol",
                "RoostModel", "RoostCompression",
            ]),
        tests("RoostC", uses: ["RoostC", "RoostModel"]),
        tests("RoostCompression", uses: ["RoostCompression"]),
        tests(
            "EndToEnd",
            uses: [
                "RoostCLI", "RoostDaemon", "RoostServer", "RoostBench", "CekikapeyeCLI", "shared-list", "RoostModel",
                "RoostMerge", "RoostProtocol", "TestProcesses", "TestSupport", "TestLoopback", "ShapedLink", "Roost",
                "Replica", "Session", "Transport",
            ]),

        // Real replicas that other people's programs write: SQLite's shell, Python's packages, Node.
        tests(
            "OtherPrograms", uses: ["RoostCLI", "RoostDaemon", "RoostServer", "TestProcesses"],
            excluding: ["client.py", "packages.txt"]),

        // Real processes and real files under faults: no product, for nobody uses it but scripts/torture and the tests.
        room(
            "Torture", at: "Tests/Torture/Kit",
            uses: [
                "Replica", "RoostModel", "RoostMerge", "RoostProtocol", "TestProcesses", "TestSupport", "TestPlainSQL",
                grdb,
            ]),
        program("roost-torture", at: "Tests/Torture/Program", uses: ["Torture", arguments]),
        .testTarget(
            name: "TortureTests",
            dependencies: ["Torture", "roost-torture", "RoostCLI", "RoostDaemon", "RoostServer"],
            path: "Tests/Torture/Short", swiftSettings: strict),
        tests("CekikapeyeRules", uses: ["CekikapeyeRules", "RoostModel", "TestSupport"], excluding: ["Vectors"]),
    ]
)
