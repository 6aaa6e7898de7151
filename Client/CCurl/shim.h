// libcurl's variadic functions, given one type each so that Swift can call them.
#ifndef ROOST_CCURL_SHIM_H
#define ROOST_CCURL_SHIM_H

// Distinct opaque types for easy and multi handles, not `void`.
#define CURL_STRICTER 1
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

/// Takes bytes, or fills them in.
typedef size_t (*ccurl_carry)(char *bytes, size_t size, size_t count, void *user);
typedef int (*ccurl_seek)(void *user, curl_off_t offset, int origin);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl copies the text, except for CURLOPT_POSTFIELDS.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_carry(CURL *easy, CURLoption option, ccurl_carry value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_seek(CURL *easy, CURLoption option, ccurl_seek value) {
    return curl_easy_setopt(easy, option, value);
}

/// Lets a cancelled transfer leave its name look-up behind instead of waiting for it; nothing before libcurl 7.87.
static inline CURLcode ccurl_leave_resolver_behind(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    return CURLE_OK;
#endif
}

static inline long ccurl_status(CURL *easy) {
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

/// Bytes of the request's body that were handed to the connection.
static inline curl_off_t ccurl_uploaded(CURL *easy) {
    curl_off_t bytes = 0;
    return curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &bytes) == CURLE_OK ? bytes : 0;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The next transfer that ended, or NULL; its result is a member of a union, which Swift would show as unsafe bytes.
static inline CURL *ccurl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#endif
