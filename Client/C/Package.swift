// swift-tools-version: 6.2
import PackageDescription

// The shared library of the functions in Client/C/Library. It is a package of its own because a package with unsafe flags
// cannot be a dependency. scripts/libroost builds it.

/// Options of the linker: Swift's runtime is linked in, only the functions of roost.h are offered, and the library stays
/// loaded, because its threads cannot be ended.
let flags: [String] = [
    "-static-stdlib",
    "-Xlinker", "--version-script=\(Context.packageDirectory)/roost.map",
    "-Xlinker", "-soname", "-Xlinker", "libroost.so.1",
    "-Xlinker", "-z", "-Xlinker", "nodelete",
]

let package = Package(
    name: "libroost",
    platforms: [.macOS(.v15)],
    // The root package has products named roost and Roost, so this one has another name until it is installed.
    products: [.library(name: "RoostShared", type: .dynamic, targets: ["LibRoost"])],
    dependencies: [.package(name: "roost", path: "../..")],
    targets: [
        .target(
            name: "LibRoost", dependencies: [.product(name: "RoostC", package: "roost")],
            linkerSettings: [.unsafeFlags(flags)])
    ]
)
