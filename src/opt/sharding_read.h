/* Shardings as the program says them, before meshes are brought together. Internal to opt/sharding*.c. */
#ifndef FL_OPT_SHARDING_READ_H
#define FL_OPT_SHARDING_READ_H

#include "opt/sharding.h"

enum { FL_MOST_MESHES = 64, FL_MOST_PARTS = 64 };

/* A factor of the number of a partition's place: (place / stride) % size. */
typedef struct fl_place_factor {
    int64_t stride, size;
} fl_place_factor;

typedef struct fl_mesh_axis {
    const char *name; /* NULL: of a tiling */
    uint32_t length;
    int64_t size;
    uint32_t factor_count;                 /* filled in by fl_meshes_settle */
    fl_place_factor factors[FL_MOST_AXES]; /* the first varies fastest */
} fl_mesh_axis;

typedef struct fl_device_mesh {
    const char *name; /* NULL: has none */
    uint32_t length, axis_count;
    uint8_t is_used, keeps_order; /* of devices, which is not that of the one mesh */
    int64_t count;                /* of devices: the product of the sizes */
    const int64_t *ids;           /* NULL: in order */
    fl_mesh_axis *axes;
} fl_device_mesh;

/* Of an axis of size `before` * `size` * rest, the coordinates from size * rest down to rest. */
typedef struct fl_axis_part {
    uint32_t axis;
    int64_t before, size;
} fl_axis_part;

/* Parts of the dimensions, one after another, then those that replicate, then those that are unreduced. */
enum { FL_SPEC_REPLICATED = FL_MAX_RANK, FL_SPEC_UNREDUCED, FL_SPEC_MANUAL, FL_SPEC_LISTS };
typedef struct fl_spec {
    uint32_t mesh;
    uint8_t rank, is_whole; /* whole: replicated, whatever the rank */
    uint8_t is_manual;      /* GSPMD: along all axes; whole too */
    uint16_t open;
    uint8_t counts[FL_SPEC_LISTS];
    uint32_t part_count;
    fl_axis_part *parts;
} fl_spec;

typedef struct fl_sharding_reader {
    const fl_program *program;
    fl_arena *arena; /* of what is read; texts of the program are referred to */
    fl_device_mesh meshes[FL_MOST_MESHES];
    uint32_t mesh_count;
} fl_sharding_reader;

/* The meshes that stand beside the functions. */
fl_status fl_sharding_read_meshes(fl_sharding_reader *r);
/* #sdy.sharding<@mesh, [{"x"}, {}]>; the mesh is used from then on. */
fl_status fl_sharding_read_sdy(fl_sharding_reader *r, const fl_literal *l, fl_spec *out);
/* #sdy.sharding_per_value<[<@mesh, [{}]>, ...]>: `count` of them. */
fl_status fl_sharding_read_values(fl_sharding_reader *r, const fl_literal *l, uint32_t count, fl_spec *out);
/* #sdy<manual_axes{"x", "y"}>: as FL_SPEC_MANUAL, of the mesh that out->mesh says. */
fl_status fl_sharding_read_manual_axes(fl_sharding_reader *r, const fl_literal *l, fl_spec *out);
/* GSPMD's {devices=[2,1,4]<=[8] last_tile_dim_replicate}; for several values a tuple {{...}, {...}} or one for all. */
fl_status fl_sharding_read_gspmd(fl_sharding_reader *r, const char *text, size_t length, uint32_t count,
                                 fl_spec *out);
/* A new mesh; axes and ids of it are the caller's to fill in, the count too. */
fl_status fl_sharding_add_mesh(fl_sharding_reader *r, uint32_t axes, fl_device_mesh **out);

/* ---- sharding_mesh.c ---- */
/* One mesh of atoms for all meshes that are used and for all parts of axes in the specs. */
fl_status fl_meshes_settle(fl_sharding_reader *r, int64_t partitions, const fl_spec *const *specs,
                           size_t spec_count, fl_arena *arena, fl_mesh *out);
/* The list `which` of a spec (a dimension, or FL_SPEC_REPLICATED ...) in atoms of the mesh; their number. */
int fl_spec_axes(const fl_sharding_reader *r, const fl_mesh *mesh, const fl_spec *spec, int which,
                 uint8_t out[FL_MOST_AXES]);

#endif
