/* Activities: kept with copies of their texts, from several threads, between start and stop alone. */
#include "device/activity.h"
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define EACH    5000

static void test_off(void)
{
    fl_activity_list list;
    fl_activity_add(&(fl_activity){.name = "lost"});
    fl_activity_stop(&list);
    CHECK(!list.list && !list.count && !list.lost);
    fl_activity_free(&list);
    CHECK(!fl_activities_on());
}

static void test_texts_are_copies(void)
{
    fl_activity_list list;
    char name[32] = "first", program[32] = "p";
    fl_activity_start();
    CHECK(fl_activities_on());
    fl_activity_add(&(fl_activity){.name = name, .program = program, .begin = 3, .end = 5, .bytes = 7});
    strcpy(name, "second");
    fl_activity_add(&(fl_activity){.name = name});
    fl_activity_stop(&list);
    CHECK(!fl_activities_on() && list.count == 2 && !list.lost);
    CHECK(!strcmp(list.list[0].name, "first") && !strcmp(list.list[0].program, "p") && !list.list[0].shapes);
    CHECK(list.list[0].begin == 3 && list.list[0].end == 5 && list.list[0].bytes == 7);
    CHECK(!strcmp(list.list[1].name, "second"));
    fl_activity_free(&list);
}

static void test_start_begins_anew(void)
{
    fl_activity_list list;
    fl_activity_start();
    fl_activity_add(&(fl_activity){.name = "before"});
    fl_activity_start();
    fl_activity_add(&(fl_activity){.name = "after"});
    fl_activity_stop(&list);
    CHECK(list.count == 1 && !strcmp(list.list[0].name, "after"));
    fl_activity_free(&list);
}

static void test_copy(void)
{
    fl_activity_list list;
    int from = 42, to = 0;
    fl_activity_copy(FL_ACTIVITY_TO_DEVICE, &to, &from, sizeof to);
    CHECK(to == 42);
    fl_activity_start();
    fl_activity_set_correlation(9);
    fl_activity_enter(2, 5);
    to = 0;
    fl_activity_copy(FL_ACTIVITY_FROM_DEVICE, &to, &from, sizeof to);
    fl_activity_stop(&list);
    CHECK(to == 42 && list.count == 1);
    const fl_activity *a = list.list;
    CHECK(a->kind == FL_ACTIVITY_FROM_DEVICE && a->bytes == sizeof to && a->end >= a->begin && a->begin > 0);
    CHECK(a->place.correlation == 9 && a->place.device == 2 && a->place.stream == 5);
    fl_activity_free(&list);
}

static void *add_many(void *argument)
{
    uint64_t number = *(const uint64_t *)argument;
    char name[32];
    for (uint64_t i = 0; i < EACH; i++) {
        snprintf(name, sizeof name, "%d", (int)(i % 100));
        fl_activity_add(&(fl_activity){.name = name, .begin = i, .place = {.correlation = number}});
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    uint64_t numbers[THREADS], next[THREADS] = {0};
    fl_activity_list list;
    fl_activity_start();
    for (uint64_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(!pthread_create(&threads[i], NULL, add_many, &numbers[i]));
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    fl_activity_stop(&list);
    CHECK(list.count == THREADS * EACH && !list.lost);
    int right = 1;
    for (size_t i = 0; i < list.count; i++) { /* of each thread in order */
        const fl_activity *a = &list.list[i];
        char name[32];
        snprintf(name, sizeof name, "%d", (int)(a->begin % 100));
        right &= a->begin == next[a->place.correlation]++ && !strcmp(a->name, name);
    }
    CHECK(right);
    fl_activity_free(&list);
}

int main(void)
{
    test_off();
    test_texts_are_copies();
    test_start_begins_anew();
    test_copy();
    test_threads();
    return check_result();
}
