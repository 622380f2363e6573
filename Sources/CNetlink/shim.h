#pragma once

// Headers of the kernel, which the Glibc module of Swift leaves out.
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if_link.h>
#include <linux/if_addr.h>
