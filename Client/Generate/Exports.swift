// The one import of RoostModel in this folder. The program of the package plugins compiles the folder without it, together with the
// sources of RoostModel (Docs/decisions/0236-classes-are-generated-by-plugins.md).
@_exported public import RoostModel
