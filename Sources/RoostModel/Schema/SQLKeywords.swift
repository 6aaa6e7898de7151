/// The words that SQLite accepts as names only in quotes (https://sqlite.org/lang_keywords.html, those without fallback).
enum SQLKeywords {
    static let reserved: Set<String> = [
        "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit",
        "constraint", "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape", "except",
        "exists", "foreign", "from", "group", "having", "in", "index", "insert", "intersect", "into", "is", "isnull",
        "join", "limit", "not", "nothing", "notnull", "null", "on", "or", "order", "primary", "references", "returning",
        "select", "set", "table", "then", "to", "transaction", "union", "unique", "update", "using", "values", "when",
        "where",
    ]
}
