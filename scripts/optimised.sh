# Read by the scripts that build what is run: `"${optimised_build[@]}" --product NAME` builds one program, optimised, in .build-release.
#
# Swift's runtime and Foundation are linked in, so that the programs run where no Swift is installed and only the parts that
# are used are loaded. The toolchain's own linker leaves out the names that a program would offer to plug-ins, which it has none
# of, and packs the addresses that are set at its start. All that is 7 of 32 MiB of an idle server (Docs/decisions/0127).
# The packing needs glibc 2.36, which is Debian 12's.
#
# What runs with each change lies together: each function is a section of its own, which the linker puts where Benchmarks/hot-functions.txt
# has it, and not where its module was (scripts/hot-functions, Docs/decisions/0152).
#
# The mistakes of decision 32 are for scripts/simulate --prove alone, whatever the environment says.
unset ROOST_SEEDED_BUGS
# Under a name of its own for each list: SwiftPM links anew only where a flag is another.
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
hot_functions=$repository/.build-release/hot-functions-$(cksum <"$repository/Benchmarks/hot-functions.txt" | cut -d' ' -f1).txt
mkdir -p "$repository/.build-release"
cp "$repository/Benchmarks/hot-functions.txt" "$hot_functions"
optimised_build=(
    swift build --configuration release --scratch-path .build-release --static-swift-stdlib
    -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs
    -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xlinker "--symbol-ordering-file=$hot_functions" -Xlinker --no-warn-symbol-ordering
)
