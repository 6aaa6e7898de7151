// The functions themselves are in the module RoostC, all of whose object files are linked into the library.
@_exported import RoostC
