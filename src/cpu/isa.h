/* Instruction set levels. Files named *_simd.c are compiled once for each level, with FL_ISA defined as its name; their
 * symbols carry the name through FL_ISA_NAME, and FL_ISA_PICK chooses among them when the process runs. */
#ifndef FL_CPU_ISA_H
#define FL_CPU_ISA_H

typedef enum fl_isa {
    FL_LEVEL_BASE,
    FL_LEVEL_AVX2,   /* AVX2, FMA, F16C, BMI2 */
    FL_LEVEL_AVX512, /* and AVX-512 F, BW, DQ, VL */
} fl_isa;

/* The best level of this processor; FL_ISA_LEVEL=base|avx2|avx512 lowers it (read once). */
fl_isa fl_isa_level(void);

#define FL_ISA_PASTE2(name, level) name##_##level
#define FL_ISA_PASTE(name, level)  FL_ISA_PASTE2(name, level)
#define FL_ISA_NAME(name) FL_ISA_PASTE(name, FL_ISA) /* in a *_simd.c file: the symbol of this level */

#if defined(__x86_64__)
#define FL_ISA_PICK(name)                                                                                    \
    (fl_isa_level() == FL_LEVEL_AVX512 ? name##_avx512                                                       \
     : fl_isa_level() == FL_LEVEL_AVX2 ? name##_avx2                                                         \
                                       : name##_base)
/* Declares all levels of a function or table: FL_ISA_DECLARE(extern const table, name,) or (void, name, (int x)). */
#define FL_ISA_DECLARE(type, name, suffix) type name##_base suffix, name##_avx2 suffix, name##_avx512 suffix
#else
#define FL_ISA_PICK(name)                  name##_base
#define FL_ISA_DECLARE(type, name, suffix) type name##_base suffix
#endif

#endif
