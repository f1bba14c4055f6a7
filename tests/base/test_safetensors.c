/* Safetensors files: what they hold, and that damaged ones are refused without a stray read. */
#include "base/safetensors.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static size_t make(const char *head, size_t data, char *out)
{
    size_t n = strlen(head);
    memset(out, 0, 8);
    for (int i = 0; i < 8; i++) out[i] = (char)(n >> 8 * i);
    memcpy(out + 8, head, n);
    for (size_t i = 0; i < data; i++) out[8 + n + i] = (char)i;
    return 8 + n + data;
}

static const char good[] =
    "{\"__metadata__\": {\"format\": \"pt\", \"x\": [1, -2.5e3, true, null, {\"y\": []}]},\n"
    " \"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
    "\"a\\u00e9\\\"\":{\"shape\":[],\"data_offsets\":[8,10],\"dtype\":\"BF16\", \"more\": 1},"
    "\"none\":{\"dtype\":\"I64\",\"shape\":[0,3],\"data_offsets\":[10,10]}}";

static void holds(void)
{
    char bytes[1024];
    fl_safetensors file;
    size_t n = make(good, 10, bytes);
    CHECK_OK(fl_safetensors_read(bytes, n, &file));
    CHECK(file.count == 3);
    const fl_stored *a = fl_safetensors_find(&file, "a.weight");
    CHECK(a && a->dtype == FL_F32 && a->rank == 2 && a->dims[0] == 2 && a->dims[1] == 1 && a->bytes == 8);
    CHECK(!memcmp(a->data, "\0\1\2\3\4\5\6\7", 8));
    const fl_stored *b = fl_safetensors_find(&file, "a\xC3\xA9\"");
    CHECK(b && b->dtype == FL_BF16 && b->rank == 0 && b->bytes == 2 && !memcmp(b->data, "\10\11", 2));
    const fl_stored *c = fl_safetensors_find(&file, "none");
    CHECK(c && c->bytes == 0 && c->rank == 2);
    CHECK(!fl_safetensors_find(&file, "b"));
    fl_safetensors_close(&file);
    fl_safetensors_close(&file);
}

static void refuses(const char *head, const char *why)
{
    char bytes[1024];
    fl_safetensors file;
    size_t n = make(head, 10, bytes);
    CHECK_ERROR(fl_safetensors_read(bytes, n, &file), FL_INVALID, why);
    CHECK(!file.items);
}

/* Cut everywhere, and every byte changed in several ways: an error or a file, read within its bytes (for the sanitizers). */
static void damaged(void)
{
    char bytes[1024];
    size_t n = make(good, 10, bytes);
    for (size_t cut = 0; cut < n; cut++) {
        char *exact = malloc(cut + 1);
        fl_safetensors file;
        memcpy(exact, bytes, cut);
        fl_status status = fl_safetensors_read(exact, cut, &file);
        CHECK(status != NULL);
        fl_status_free(status);
        free(exact);
    }
    for (size_t i = 0; i < n; i++)
        for (int change = 1; change < 256; change *= 2) {
            fl_safetensors file;
            uint64_t sum = 0;
            bytes[i] = (char)(bytes[i] ^ change);
            fl_status status = fl_safetensors_read(bytes, n, &file);
            for (uint32_t k = 0; !status && k < file.count; k++)
                for (size_t at = 0; at < file.items[k].bytes; at++)
                    sum += ((const uint8_t *)file.items[k].data)[at];
            CHECK(sum < 1u << 20);
            if (!status) fl_safetensors_close(&file);
            fl_status_free(status);
            bytes[i] = (char)(bytes[i] ^ change);
        }
}

int main(void)
{
    holds();
    refuses("[]", "no JSON object");
    refuses("{\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,12]}}",
            "expected 8 bytes within the file");
    refuses("{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}", "within the file");
    refuses("{\"a\":{\"dtype\":\"F31\",\"shape\":[2],\"data_offsets\":[0,8]}}", "dtype that is not known");
    refuses("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", "without shape or data_offsets");
    refuses("{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", "form expected");
    refuses("{\"a\":{\"dtype\":\"U8\",\"shape\":[9223372036854775807,4],\"data_offsets\":[0,8]}}",
            "overflow");
    damaged();
    return check_result();
}
