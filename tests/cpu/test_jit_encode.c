/* Every instruction form that the x86 backends emit, with random registers and addresses, as binutils' disassembler reads it
 * back, against text that is made from the table alone. Skipped where there is no objdump. */
#include "check.h"
#include "cpu/jit/encode_x86.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 40 /* of each form */
#define MOST   40000

static uint32_t state = 12345;
static int pick(int n)
{
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (uint32_t)n);
}

static char expected[MOST][160];
static uint32_t starts[MOST + 1];
static int count;
static uint8_t code[MOST * 16];
static fl_xbuf buffer = {.start = code, .at = code, .end = code + sizeof code};

static const char *const general[2][16] = {{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d",
                                            "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"},
                                           {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                            "r9", "r10", "r11", "r12", "r13", "r14", "r15"}};

static void expect(const char *text)
{
    strcpy(expected[count], text);
    starts[count++] = (uint32_t)(buffer.at - code);
}

static const char *vector(char *out, int r, int length)
{
    sprintf(out, "%cmm%d", "xyz"[length < 0 ? 0 : length], r);
    return out;
}

static fl_xrm random_memory(int vector_index, int registers)
{
    static const int32_t far[] = {0, 0, 4, 8, 16, 32, 64, 128, -64, 1, 512, 4096, 8128, 0x12340, -0x12344};
    fl_xrm m = fl_xmem(pick(16), far[pick(15)]);
    if (vector_index)
        m.index = (int8_t)pick(registers);
    else if (pick(3))
        m.index = (int8_t)(pick(2) ? 8 + pick(8) : pick(4));
    if (m.index >= 0) m.scale = (uint8_t)pick(4);
    return m;
}

static const char *memory_text(char *out, fl_xrm m, int vector_length)
{
    char *p = out + sprintf(out, "[%s", general[1][m.base]), name[8];
    if (m.index >= 0)
        p += sprintf(p, "+%s*%d",
                     vector_length >= 0 ? vector(name, m.index, vector_length) : general[1][m.index],
                     1 << m.scale);
    if (m.disp) p += sprintf(p, "%c0x%x", m.disp < 0 ? '-' : '+', (unsigned)abs(m.disp));
    sprintf(p, "]");
    return out;
}

/* Vector lengths of destination and source: narrowing conversions have half of a destination, widening ones of a source. */
static int narrows(fl_xins i)
{
    return i == FL_X_CVTPD2PS || i == FL_X_CVTTPD2DQ || i == FL_X_CVTTPD2UDQ || i == FL_X_CVTQQ2PS ||
           i == FL_X_CVTUQQ2PS;
}
static int no_register(fl_xins i) /* memory only */
{
    return i == FL_X_STREAMPS || i == FL_X_MOVSS_ST || i == FL_X_MOVSD_ST || i == FL_X_MOVD_ST ||
           i == FL_X_MOVQ_ST || i == FL_X_MASKMOVPS || i == FL_X_MASKMOVPD || i == FL_X_MASKMOVPS_ST ||
           i == FL_X_MASKMOVPD_ST;
}
static int no_mask(fl_xins i)
{
    return no_register(i);
}
static int no_broadcast(fl_xins i)
{
    return i == FL_X_MOVAPS || i == FL_X_MOVUPS || i == FL_X_MOVUPD;
}

static void one(fl_xins ins, int vex, int length)
{
    const fl_xinfo *info = &fl_xinfos[ins];
    int registers = vex ? 16 : 32, form = info->form, reg = pick(registers), v = pick(registers),
        imm = pick(32);
    int narrow = info->tuple == FL_XT_H   ? 1
                 : info->tuple == FL_XT_E ? 3
                 : info->tuple == FL_XT_Q ? 2
                                          : 0,
        mask = vex || no_mask(ins) ? 0 : pick(8), zero = 0;
    int is_memory = pick(2) || no_register(ins), uses_v = form == FL_XF_RVM || form == FL_XF_RVMI ||
                                                          form == FL_XF_KVM || form == FL_XF_KVMI ||
                                                          form == FL_XF_RVMR || form == FL_XF_MVR;
    fl_xrm rm = fl_xreg(pick(registers));
    char text[160], destination[24], second[24], source[64], number[8], masks[16] = "";
    buffer.vex = (uint8_t)vex;
    if (form == FL_XF_XG) length = 0;
    if (form == FL_XF_RG || form == FL_XF_RK || form == FL_XF_GX || form == FL_XF_XG ||
        (form >= FL_XF_VMI2 && form <= FL_XF_VMI6 && vex))
        is_memory = 0;
    if (form == FL_XF_RG || form == FL_XF_GX || form == FL_XF_XG) rm = fl_xreg(pick(16));
    if (form == FL_XF_RK) rm = fl_xreg(pick(8)), mask = 0;
    if (form == FL_XF_GX) mask = 0, length = 0;
    if (info->tuple == FL_XT_S4 || info->tuple == FL_XT_S8) {
        if (form == FL_XF_MR) length = 0;
    }
    if (form == FL_XF_RVMR) imm = pick(16) << 4;
    int is_mask = form == FL_XF_KVM || form == FL_XF_KVMI;
    static const uint8_t predicates[] = {0, 1, 2, 4, 5, 6}; /* of integers: those with names */
    if (is_mask) reg = pick(8);
    if (form == FL_XF_KVMI && info->opcode != 0xc2) imm = predicates[pick(6)];
    if (form == FL_XF_RS) { /* destination, index and mask differ */
        is_memory = 1, mask = 1 + pick(7);
        rm = random_memory(1, 32);
        reg = (rm.index + 1 + pick(30)) % 32;
    } else if (is_memory) {
        rm = random_memory(0, 0);
        if (!vex && info->tuple == FL_XT_F && form != FL_XF_MR && form != FL_XF_MRI && !no_broadcast(ins))
            rm.broadcast = (uint8_t)pick(2);
    }
    if (mask && !is_mask && form != FL_XF_RS && !(is_memory && (form == FL_XF_MR || form == FL_XF_MRI)))
        zero = pick(2);
    fl_x(&buffer, ins, length, reg, uses_v ? v : -1, rm, imm, mask, zero);
    if (mask) sprintf(masks, "{k%d}%s", mask, zero ? "{z}" : "");

    if (form == FL_XF_RS) {
        int wide = info->w, far = ins == FL_X_GATHERQPS || ins == FL_X_GATHERQPD;
        int data = far && !wide ? length - 1 : length, index = !far && wide ? length - 1 : length;
        vector(destination, reg, data), memory_text(source, rm, index);
        if (ins == FL_X_SCATTERDPS || ins == FL_X_SCATTERDPD)
            sprintf(text, "%s %s%s,%s", info->mnemonic, source, masks, destination);
        else
            sprintf(text, "%s %s%s,%s", info->mnemonic, destination, masks, source);
        expect(text);
        return;
    }
    if (is_memory)
        memory_text(source, rm, -1);
    else if (form == FL_XF_RK)
        sprintf(source, "k%d", rm.reg);
    else if (form == FL_XF_RG || form == FL_XF_GX || form == FL_XF_XG)
        strcpy(source, general[info->w][rm.reg]);
    else
        vector(source, rm.reg, info->tuple == FL_XT_S4 || info->tuple == FL_XT_S8 ? 0 : length - narrow);
    if (is_mask)
        sprintf(destination, "k%d", reg);
    else
        vector(destination, reg, narrows(ins) ? length - 1 : length);
    vector(second, v, length);
    number[0] = 0;
    int is_named = ins == FL_X_CMPPS || ins == FL_X_CMPPD; /* the predicate is part of the name */
    if (is_named)
        ;
    else if (form == FL_XF_RMI || form == FL_XF_RVMI || form == FL_XF_MRI ||
             (form >= FL_XF_VMI2 && form <= FL_XF_VMI6))
        sprintf(number, ",0x%x", imm);
    if (form == FL_XF_MR || form == FL_XF_MRI || form == FL_XF_GX)
        sprintf(text, "%s %s%s,%s%s", info->mnemonic, source, masks, destination, number);
    else if (form == FL_XF_MVR)
        sprintf(text, "%s %s,%s,%s", info->mnemonic, source, second, destination);
    else if (form == FL_XF_RVMR)
        sprintf(text, "%s %s,%s,%s,ymm%d", info->mnemonic, destination, second, source, imm >> 4);
    else if (uses_v)
        sprintf(text, "%s %s%s,%s,%s%s", info->mnemonic, destination, masks, second, source, number);
    else
        sprintf(text, "%s %s%s,%s%s", info->mnemonic, destination, masks, source, number);
    expect(text);
}

static void all_vectors(void)
{
    for (int ins = 0; ins < FL_X_COUNT; ins++)
        for (int i = 0; i < ROUNDS; i++) {
            int length = 1 + pick(2);
            if (fl_xinfos[ins].vex != 3) one((fl_xins)ins, 0, length);
            if (fl_xinfos[ins].vex) one((fl_xins)ins, 1, 1);
        }
}

static void all_masks(void)
{
    static const struct {
        int opcode;
        const char *name;
    } three[] = {{0x41, "kandw"}, {0x42, "kandnw"}, {0x45, "korw"}, {0x46, "kxnorw"}, {0x47, "kxorw"}};
    char text[160], memory[64];
    for (int i = 0; i < ROUNDS; i++) {
        int a = pick(8), b = pick(8), c = pick(8), g = pick(16);
        const int which = pick(5);
        fl_xk(&buffer, three[which].opcode, a, b, c);
        sprintf(text, "%s k%d,k%d,k%d", three[which].name, a, b, c), expect(text);
        fl_xk(&buffer, 0x44, a, b, 0);
        sprintf(text, "knotw k%d,k%d", a, b), expect(text);
        fl_xk_from_gpr(&buffer, a, g);
        sprintf(text, "kmovw k%d,%s", a, general[0][g]), expect(text);
        fl_xk_to_gpr(&buffer, g, a);
        sprintf(text, "kmovw %s,k%d", general[0][g], a), expect(text);
        fl_xrm m = random_memory(0, 0);
        fl_xk_load(&buffer, a, m);
        sprintf(text, "kmovw k%d,%s", a, memory_text(memory, m, -1)), expect(text);
        fl_xk_store(&buffer, m, a);
        sprintf(text, "kmovw %s,k%d", memory_text(memory, m, -1), a), expect(text);
        fl_xk_test(&buffer, a, i & 1);
        sprintf(text, "kortest%c k%d,k%d", i & 1 ? 'b' : 'w', a, a), expect(text);
        fl_xk_move(&buffer, a, b);
        sprintf(text, "kmovw k%d,k%d", a, b), expect(text);
    }
}

static void all_scalars(void)
{
    static const struct {
        int opcode, two; /* two: after 0F */
        const char *name;
        int store; /* the register is the second operand */
    } forms[] = {{0x8b, 0, "mov", 0},  {0x89, 0, "mov", 1}, {0x03, 0, "add", 0}, {0x01, 0, "add", 1},
                 {0x39, 0, "cmp", 1},  {0x31, 0, "xor", 1}, {0x0b, 0, "or", 0},  {0x2b, 0, "sub", 0},
                 {0x85, 0, "test", 1}, {0xaf, 1, "imul", 0}};
    char text[160], memory[64];
    for (int i = 0; i < 20 * ROUNDS; i++) {
        int f = pick(10), wide = pick(2), reg = pick(16), is_memory = pick(2),
            imm = pick(3) ? pick(256) - 128 : pick(100000) + 128;
        fl_xrm rm = is_memory ? random_memory(0, 0) : fl_xreg(pick(16));
        const char *other = is_memory ? memory_text(memory, rm, -1) : general[wide][rm.reg],
                   *own = general[wide][reg];
        if (forms[f].two)
            fl_xg2(&buffer, forms[f].opcode, wide, reg, rm);
        else
            fl_xg(&buffer, forms[f].opcode, wide, reg, rm);
        sprintf(text, "%s %s,%s", forms[f].name, forms[f].store ? other : own, forms[f].store ? own : other),
            expect(text);
        static const char *const immediates[] = {"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"};
        int e = pick(8), r = 1 + pick(15);
        fl_xg_imm(&buffer, e, 1, fl_xreg(r), imm);
        sprintf(text, "%s %s,0x%llx", immediates[e], general[1][r], (unsigned long long)(int64_t)imm),
            expect(text);
        fl_x_bzhi(&buffer, reg, r, pick(1));
        sprintf(text, "bzhi %s,%s,eax", general[0][reg], general[0][r]), expect(text);
    }
}

/* Removes what the table says nothing of: spaces, sizes of memory operands, marks of broadcasts, the names of comparisons. */
static void normalise(char *out, const char *line)
{
    static const char *const noise[] = {"ZMMWORD PTR ", "YMMWORD PTR ", "XMMWORD PTR ", "QWORD PTR ",
                                        "DWORD PTR ",   "WORD PTR ",    "BYTE PTR ",    "QWORD BCST ",
                                        "DWORD BCST ",  "{evex} ",      "{1to16}",      "{1to8}",
                                        "{1to4}",       "{1to2}",       "+0x0"};
    char *p = out;
    while (isspace((unsigned char)*line)) line++;
    while (*line && *line != '\n' && *line != '#') {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
            size_t n = strlen(noise[i]);
            if (n > skip && !strncmp(line, noise[i], n) && !(noise[i][0] == '+' && line[n] != ']')) skip = n;
        }
        if (skip) {
            line += skip;
            continue;
        }
        if (*line != ' ' || (p > out && p[-1] != ' ')) *p++ = *line;
        line++;
    }
    while (p > out && p[-1] == ' ') p--;
    *p = 0;
}

/* vcmpltps and the like, vpcmpleud: by their predicates. */
static void plain_compare(char *text)
{
    char *end = strchr(text, ' ');
    if (!end || (strncmp(text, "vcmp", 4) && strncmp(text, "vpcmp", 5))) return;
    if (text[1] == 'p' && end[1] != 'k') return; /* AVX2's have names of their own */
    int floating = text[1] == 'c', keep = floating ? 4 : 5;
    const char *suffix = floating ? end - 2 : end[-2] == 'u' ? end - 2 : end - 1;
    memmove(text + keep, suffix, strlen(suffix) + 1);
}

static int objdump(const char *path)
{
    char command[256], line[512], got[512];
    snprintf(command, sizeof command, "objdump -D -b binary -mi386:x86-64 -M intel --no-show-raw-insn -w %s",
             path);
    FILE *f = popen(command, "r");
    int i = 0, wrong = 0;
    while (f && fgets(line, sizeof line, f)) {
        unsigned at;
        int n = 0;
        if (sscanf(line, " %x:%n", &at, &n) != 1 || !n || i >= count) continue;
        normalise(got, line + n);
        for (char *p = got; *p; p++)
            if (*p == '\t') *p = ' ';
        plain_compare(got);
        uint32_t start = i ? starts[i - 1] : 0;
        check_count++;
        if (at != start || strcmp(got, expected[i])) {
            check_failures++;
            if (wrong++ < 20)
                fprintf(stderr, "at %x (%x): expected %s, got %s\n", start, at, expected[i], got);
            if (at != start) break;
        }
        i++;
    }
    if (f) pclose(f);
    return i;
}

int main(void)
{
    if (system("objdump --version >/dev/null 2>&1")) {
        printf("skipped: no objdump (binutils) to read the instructions back\n");
        return 77;
    }
    all_vectors();
    all_masks();
    all_scalars();
    char path[] = "/tmp/fl-encode-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, code, (size_t)(buffer.at - code)) == buffer.at - code && !buffer.full);
    close(fd);
    CHECK_INT(objdump(path), count);
    unlink(path);
    return check_result();
}
