/* What TPUs the host has, and what their library needs to know when there are none. */
#ifndef FL_PJRT_CLIENT_HOST_H
#define FL_PJRT_CLIENT_HOST_H

/* Chips found by their PCI ids under `root` (NULL: FL_SYSFS, else /sys); nothing is started. *out_name (may be NULL): what
 * the newest of them is called ("v6e"), or NULL. */
int fl_pjrt_chips(const char *root, const char **out_name);

/* Without a chip, tells libtpu not to look for one's metadata server (which takes minutes). Variables that are set already
 * stay. To be called before a plugin is loaded that shall only compile. */
void fl_pjrt_prepare_host(void);

#endif
