/* Operations of sdy in programs that are partitioned: manual computations, and what states shardings. */
#include "partition_case.h"

#define SDY "in_shardings=[] out_shardings=[] manual_axes={} "
#define ADDER                                                                                                \
    "({\n    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n      %s = stablehlo.add %p, %q : tensor<f32>\n"       \
    "      stablehlo.return %s : tensor<f32>\n    })"
#define CHANNEL ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"

/* x [4, 6] -> [2, 6]: halves of x are added. */
#define PSUM(groups)                                                                                         \
    F("%x: tensor<4x6xf32>", "tensor<2x6xf32>",                                                              \
      "  %m = sdy.manual_computation(%x) " SDY "(%b: tensor<2x6xf32>) {\n"                                   \
      "    %c = stablehlo.multiply %b, %b : tensor<2x6xf32>\n"                                               \
      "    %r = \"stablehlo.all_reduce\"(%c) " ADDER " {replica_groups = dense<" groups                      \
      "> : tensor<2x2xi64>" CHANNEL ", use_global_device_ids} : (tensor<2x6xf32>) -> tensor<2x6xf32>\n"      \
      "    sdy.return %r : tensor<2x6xf32>\n  } : (tensor<4x6xf32>) -> tensor<2x6xf32>\n"                    \
      "  return %m : tensor<2x6xf32>\n")

static void manual(void)
{
    static const char sum[] =
        F("%x: tensor<4x6xf32>", "tensor<2x6xf32>",
          "  %c = stablehlo.multiply %x, %x : tensor<4x6xf32>\n"
          "  %l = stablehlo.slice %c [0:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>\n"
          "  %h = stablehlo.slice %c [2:4, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>\n"
          "  %r = stablehlo.add %l, %h : tensor<2x6xf32>\n  return %r : tensor<2x6xf32>\n");
    MANUAL(PSUM("[[0, 2], [1, 3]]"), sum, "2x2", "m0=0 i0=0,- o0=-,-", "reduce=1");
    MANUAL(PSUM("[[0, 2], [1, 3]]"), sum, "2x2", "a0=0,1 m0=0 i0=0,-? o0=-,-?", "reduce=1");
    MANUAL(PSUM("[[0, 2], [1, 3]]"), sum, "2x2", "m0=0 i0=0,1 o0=-,1 r0=-,-", "gather=1 reduce=1");
    MANUAL(PSUM("[[0, 1], [2, 3]]"), sum, "2x2", "m0=1 i0=1,- o0=-,- r0=0,-", "reduce=1");
    MANUAL(PSUM("[[3, 1], [2, 0]]"), sum, "-2x2", "a0=0,1 m0=0 i0=0,-? o0=-,-?", "reduce=1");
    MANUAL(PSUM("[[0, 2], [1, 3]]"), sum, "2x2", "a0=0,- m0=0 i0=0,- o0=-,- r0=0,1", "reduce=1");
    /* groups that go across an axis that is not manual: whole along it */
    MANUAL(PSUM("[[0, 3], [1, 2]]"), sum, "2x2", "a0=0,1 m0=0 i0=0,1 o0=-,1 r0=-,1", "gather=1 reduce=1");

    static const char
        mixed[] = /* a product along the axis that is not manual, inside; neighbours exchange */
        F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>", "tensor<4x4xf32>",
          "  %m = sdy.manual_computation(%x, %w) " SDY "(%b: tensor<2x6xf32>, %v: tensor<6x4xf32>) {\n"
          "    %d = stablehlo.dot_general %b, %v, contracting_dims = [1] x [0] : (tensor<2x6xf32>, "
          "tensor<6x4xf32>) -> "
          "tensor<2x4xf32>\n"
          "    %r = \"stablehlo.collective_permute\"(%d) {source_target_pairs = dense<[[0, 2], [1, 3], [2, "
          "0], [3, "
          "1]]> : tensor<4x2xi64>" CHANNEL "} : (tensor<2x4xf32>) -> tensor<2x4xf32>\n"
          "    sdy.return %r : tensor<2x4xf32>\n  } : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>\n"
          "  return %m : tensor<4x4xf32>\n"),
        swapped[] = F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>", "tensor<4x4xf32>",
                      "  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
                      "(tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>\n"
                      "  %l = stablehlo.slice %d [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>\n"
                      "  %h = stablehlo.slice %d [2:4, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>\n"
                      "  %r = stablehlo.concatenate %h, %l, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> "
                      "tensor<4x4xf32>\n  return %r : tensor<4x4xf32>\n");
    MANUAL(mixed, swapped, "2x2", "a0=0,- a1=-,- m0=0 i0=0,- i1=-,- o0=0,-", "permute=1");
    MANUAL(mixed, swapped, "2x2", "a0=0,1 a1=1,- m0=0 i0=0,-? i1=-?,- o0=0,-", "reduce=1 permute=1");
    MANUAL(mixed, swapped, "2x2", "a1=-,1 m0=0 i0=0,- i1=-,1 o0=0,1", "permute=1");

    static const char two[] = /* each partition sees 2 x 3; one computation inside the other */
        F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
          "  %m = sdy.manual_computation(%x) " SDY "(%b: tensor<2x6xf32>) {\n"
          "    %n = sdy.manual_computation(%b) " SDY "(%c: tensor<2x3xf32>) {\n"
          "      %r = stablehlo.reverse %c, dims = [0, 1] : tensor<2x3xf32>\n"
          "      sdy.return %r : tensor<2x3xf32>\n    } : (tensor<2x6xf32>) -> tensor<2x6xf32>\n"
          "    sdy.return %n : tensor<2x6xf32>\n  } : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
          "  return %m : tensor<4x6xf32>\n"),
                      blocks[] = F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
                                   "  %a = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<2x2x2x3xf32>\n"
                                   "  %b = stablehlo.reverse %a, dims = [1, 3] : tensor<2x2x2x3xf32>\n"
                                   "  %c = stablehlo.reshape %b : (tensor<2x2x2x3xf32>) -> tensor<4x6xf32>\n"
                                   "  return %c : tensor<4x6xf32>\n");
    MANUAL(two, blocks, "2x2", "m0=0 i0=0,-? o0=0,-? m1=1 i0=-,1 o0=-,1", "");
    MANUAL(two, blocks, "2x2", "a0=-,- r0=-,- m0=0 i0=0,- o0=0,- m1=1 i0=-,1 o0=-,1", "gather=2");
}

/* Operations of sdy without regions. */
static void placement(void)
{
    static const char constraint[] =
        F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
          "  %a = stablehlo.add %x, %x : tensor<4x6xf32>\n"
          "  %b = sdy.sharding_constraint %a <@m, []> : tensor<4x6xf32>\n"
          "  %c = stablehlo.multiply %b, %b : tensor<4x6xf32>\n  return %c : tensor<4x6xf32>\n");
    PARTITION(constraint, "2", "v1=0,-", "");
    PARTITION(constraint, "2", "a0=0,- v1=-,0", "exchange=1");
    PARTITION(constraint, "2", "a0=0,- v1=-,-", "gather=1");
    /* what Shardy's own partitioner puts in */
    static const char collectives[] =
        F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
          "  %a = stablehlo.add %x, %x : tensor<4x6xf32>\n"
          "  %b = sdy.all_gather [{}, {}] %a out_sharding=<@m, []> : tensor<4x6xf32>\n"
          "  %c = sdy.all_slice [{}, {}] %b out_sharding=<@m, []> : tensor<4x6xf32>\n"
          "  %d = sdy.all_to_all [{}: 1->0] %c out_sharding=<@m, []> : tensor<4x6xf32>\n"
          "  %e = sdy.collective_permute %d out_sharding=<@m, []> : tensor<4x6xf32>\n"
          "  %f = stablehlo.multiply %e, %e : tensor<4x6xf32>\n  return %f : tensor<4x6xf32>\n");
    PARTITION(collectives, "2", "a0=0,- v0=0,- v1=-,- v2=-,0 v3=0,- v4=0,- r0=0,-", "gather=1 exchange=1");
    PARTITION(collectives, "2x2", "a0=01,- v0=01,- v1=0,- v2=0,1 v3=01,- v4=10,- r0=10,-",
              "gather=1 exchange=1 permute=1");
    static const char group[] =
        F("%x: tensor<4x6xf32>, %y: tensor<4x6xf32>", "(tensor<4x6xf32>, tensor<4x6xf32>)",
          "  sdy.sharding_group %x group_id = 1 : tensor<4x6xf32>\n"
          "  sdy.sharding_group %y group_id = 1 : tensor<4x6xf32>\n"
          "  %n = sdy.named_computation<\"f\">(%x) (%d: tensor<4x6xf32>) {\n"
          "    %5 = stablehlo.multiply %d, %y : tensor<4x6xf32>\n    sdy.return %5 : tensor<4x6xf32>\n"
          "  } : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
          "  return %y, %n : tensor<4x6xf32>, tensor<4x6xf32>\n");
    PARTITION(group, "2", "a0=0,-", "");
}

/* Values that are sums along axes. */
static void unreduced(void)
{
    static const char sums[] =
        F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>", "tensor<4x4xf32>",
          "  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, "
          "tensor<6x4xf32>) -> "
          "tensor<4x4xf32>\n"
          "  %e = stablehlo.add %d, %d : tensor<4x4xf32>\n"
          "  %f = stablehlo.negate %e : tensor<4x4xf32>\n"
          "  %g = stablehlo.multiply %f, %f : tensor<4x4xf32>\n  return %g : tensor<4x4xf32>\n");
    PARTITION(sums, "2", "a0=-,0 v0=-,-+0 v1=-,-+0 v2=-,-+0",
              "reduce=1"); /* added up once, before the product */
    PARTITION(sums, "2", "a0=-,0 v0=-,-+0 v1=-,-+0 v2=-,-+0 r0=0,-", "scatter=1");
    PARTITION(sums, "2", "a0=-,- a1=-,- v1=-,-+0", "");                  /* it is there whole as well */
    PARTITION(sums, "2", "a0=-,- a1=-,- v1=-,-+0 v2=-,-+0", "reduce=1"); /* one has it, the other nothing */
    PARTITION(sums, "2", "a0=0,- a1=-,- v0=0,- v1=0,- v2=-,-+0",
              "reduce=1"); /* each has its rows, and nothing beside */
    PARTITION(sums, "2x2", "a0=0,1 v0=0,1 v1=0,1 v2=0,-+1", "reduce=1 scatter=1");
    PARTITION(sums, "2x2", "v0=01,- v1=01,- v2=-,-+01", "reduce=1");
    PARTITION(sums, "2x2", "v0=01,- v1=01,- v2=-,1+0", NULL);
    PARTITION(sums, "2x2", "a0=0,1 v0=0,-+1 v1=0,-+1", "reduce=1");
    PARTITION(sums, "2x2x2", "a0=1,0 v0=1,-+0 v1=2,-+0", "reduce=1 permute=1");
    static const char later[] = /* the sum is wanted as it is, or cut, or whole, only further on */
        F("%x: tensor<4x6xf32>", "tensor<6xf32>",
          "  %i = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "  %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : "
          "(tensor<4x6xf32>, "
          "tensor<f32>) -> tensor<6xf32>\n"
          "  %c = sdy.sharding_constraint %r <@m, []> : tensor<6xf32>\n  return %c : tensor<6xf32>\n");
    PARTITION(later, "2", "a0=0,- v2=-+0 r0=-+0", "");
    PARTITION(later, "2x2", "a0=01,- v2=-+01 r0=-+01", "");
    PARTITION(later, "2x2", "a0=0,- v2=-+01 r0=-+01", "");
    PARTITION(later, "2", "a0=-,0 v2=-+0 r0=-+0", "");
    PARTITION(later, "2", "a0=0,- v2=- r0=0", "scatter=1");
    PARTITION(later, "2", "a0=0,- v2=- r0=-", "reduce=1");
    static const char reduced[] =
        F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>", "tensor<4x4xf32>",
          "  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, "
          "tensor<6x4xf32>) -> tensor<4x4xf32>\n"
          "  %a = sdy.all_reduce {} %d out_sharding=<@m, []> : tensor<4x4xf32>\n"
          "  %s = sdy.all_slice [{}, {}] %a out_sharding=<@m, []> : tensor<4x4xf32>\n"
          "  %u = sdy.sharded_to_unreduced [{}, {}] %s out_sharding=<@m, []> : tensor<4x4xf32>\n"
          "  %c = sdy.reduce_scatter [{}, {}] %u out_sharding=<@m, []> : tensor<4x4xf32>\n"
          "  return %c : tensor<4x4xf32>\n");
    PARTITION(reduced, "2", "a0=-,0 a1=0,- v1=-,- v2=0,- v3=-,-+0 v4=-,0 r0=-,0", NULL);
    PARTITION(reduced, "2", "a0=-,0 a1=0,- v0=-,-+0 v1=-,-+0 v4=0,-", NULL);
    static const char turned[] =
        F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>", "tensor<4x4xf32>",
          "  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, "
          "tensor<6x4xf32>) -> "
          "tensor<4x4xf32>\n  %c = sdy.sharding_constraint %d <@m, []> : tensor<4x4xf32>\n"
          "  %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
          "  %e = sdy.sharding_constraint %t <@m, []> : tensor<4x4xf32>\n  return %e : tensor<4x4xf32>\n");
    PARTITION(turned, "2", "a0=-,0 v1=-,-+0 v3=-,-+0 r0=-,-+0", "");
    PARTITION(turned, "2", "a0=-,0 v1=-,-+0 v3=-,-+0 r0=0,-", "scatter=1");
    /* inside, each partition has its part of the sum */
    static const char parts[] =
        F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
          "  %a = sdy.sharding_constraint %x <@m, []> : tensor<4x6xf32>\n"
          "  %m = sdy.manual_computation(%a) " SDY "(%b: tensor<4x6xf32>) {\n"
          "    %r = stablehlo.add %b, %b : tensor<4x6xf32>\n"
          "    sdy.return %r : tensor<4x6xf32>\n  } : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
          "  return %m : tensor<4x6xf32>\n"),
                      twice[] =
                          F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
                            "  %r = stablehlo.add %x, %x : tensor<4x6xf32>\n  return %r : tensor<4x6xf32>\n");
    MANUAL(parts, twice, "2", "v0=-,-+0 m0=0 i0=-,-+0 o0=-,-+0 r0=-,-", "reduce=1");
    MANUAL(parts, twice, "2x2", "a0=1,- v0=1,-+0 m0=0 i0=1,-+0 o0=1,-+0 r0=-,0", "gather=1 scatter=1");
}

/* Partitions that differ along a manual axis do not exchange what is inside. */
static void inside(void)
{
    static const char moved[] =
        F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
          "  %m = sdy.manual_computation(%x) " SDY "(%b: tensor<2x6xf32>) {\n"
          "    %c = sdy.sharding_constraint %b <@m, []> : tensor<2x6xf32>\n"
          "    %r = stablehlo.reverse %c, dims = [0] : tensor<2x6xf32>\n"
          "    sdy.return %r : tensor<2x6xf32>\n  } : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
          "  return %m : tensor<4x6xf32>\n"),
                      halves[] = F("%x: tensor<4x6xf32>", "tensor<4x6xf32>",
                                   "  %a = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<2x2x6xf32>\n"
                                   "  %b = stablehlo.reverse %a, dims = [1] : tensor<2x2x6xf32>\n"
                                   "  %c = stablehlo.reshape %b : (tensor<2x2x6xf32>) -> tensor<4x6xf32>\n"
                                   "  return %c : tensor<4x6xf32>\n");
    MANUAL(moved, halves, "2x2x2", "a0=0,1 m0=0 i0=0,1 o0=0,2", "permute=1");
    MANUAL(moved, halves, "2x2x2", "a0=2,1 m0=2 i0=2,1 o0=2,0", "permute=1");
}

/* Sums in sums: parts of them, and put into others. */
static void pieces_of_sums(void)
{
    static const char text[] =
        F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>, %i: tensor<i32>", "(tensor<4x4xf32>, tensor<2x4xf32>)",
          "  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, "
          "tensor<6x4xf32>) -> tensor<4x4xf32>\n"
          "  %e = stablehlo.slice %d [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>\n"
          "  %f = stablehlo.dynamic_update_slice %d, %e, %i, %i : (tensor<4x4xf32>, tensor<2x4xf32>, "
          "tensor<i32>, tensor<i32>) -> tensor<4x4xf32>\n"
          "  %g = stablehlo.dynamic_slice %f, %i, %i, sizes = [2, 4] : (tensor<4x4xf32>, tensor<i32>, "
          "tensor<i32>) -> tensor<2x4xf32>\n"
          "  %h = stablehlo.concatenate %g, %e, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> "
          "tensor<4x4xf32>\n"
          "  return %h, %e : tensor<4x4xf32>, tensor<2x4xf32>\n");
    PARTITION(text, "2", "a0=-,0 v0=-,-+0 v1=-,-+0 v2=-,-+0 v3=-,-+0 v4=-,-+0", "reduce=2");
    PARTITION(text, "2", "a0=-,0 v0=-,-+0 v1=-,-+0 v2=-,-+0 v3=-,-+0 v4=-,-+0 r0=0,-", NULL);
    PARTITION(text, "2", "a0=-,0 v0=-,-+0 v2=-,-+0", NULL);
}

/* A sum that a loop carries is added up once, behind it. */
static void carried_sums(void)
{
    static const char text[] =
        F("%x: tensor<3x4x6xf32>, %w: tensor<6x4xf32>", "tensor<4x4xf32>",
          "  %z = stablehlo.constant dense<0.0> : tensor<4x4xf32>\n"
          "  %s = sdy.sharding_constraint %z <@m, []> : tensor<4x4xf32>\n"
          "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
          "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
          "  %l:2 = stablehlo.while(%i = %c, %a = %s) : tensor<i32>, tensor<4x4xf32>\n"
          "  cond {\n    %b = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "    stablehlo.return %b : tensor<i1>\n  } do {\n"
          "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
          "    %j = stablehlo.add %i, %one : tensor<i32>\n"
          "    %p = stablehlo.dynamic_slice %x, %i, %c, %c, sizes = [1, 4, 6] : (tensor<3x4x6xf32>, "
          "tensor<i32>, "
          "tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>\n"
          "    %q = stablehlo.reshape %p : (tensor<1x4x6xf32>) -> tensor<4x6xf32>\n"
          "    %d = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, "
          "tensor<6x4xf32>) -> tensor<4x4xf32>\n"
          "    %e = sdy.sharding_constraint %d <@m, []> : tensor<4x4xf32>\n"
          "    %f = stablehlo.add %a, %e : tensor<4x4xf32>\n"
          "    %g = sdy.sharding_constraint %f <@m, []> : tensor<4x4xf32>\n"
          "    stablehlo.return %j, %g : tensor<i32>, tensor<4x4xf32>\n  }\n"
          "  return %l#1 : tensor<4x4xf32>\n");
    PARTITION(text, "2", "a0=-,-,0 v1=-,-+0 w5=-,-+0 w7=-,-+0", "reduce=1");
    PARTITION(text, "2", "a0=-,-,0 v1=-,-+0 w5=-,-+0 w7=-,-+0 r0=0,-", "scatter=1");
    PARTITION(text, "2x2", "a0=-,-,1 v1=-,-+1 w5=-,-+1 w7=-,-+1", NULL);
    PARTITION(text, "2", "a0=-,-,0 v1=-,-+0 w5=-,-+0", NULL); /* the body does not say so of what it gives */
}

int main(void)
{
    unreduced();
    pieces_of_sums();
    carried_sums();
    inside();
    manual();
    placement();
    return check_result();
}
