#ifndef ROOST_CZLIB_SHIM_H
#define ROOST_CZLIB_SHIM_H
#include <zlib.h>

// The two starters are macros, which Swift does not see. 16 more than the window's 15 bits means: gzip, nothing else.
static inline int czlib_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
static inline int czlib_deflate_init_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
#endif
