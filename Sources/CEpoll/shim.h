#pragma once

// What the Glibc module of Swift leaves out.
#include <sys/epoll.h>
#include <sys/signalfd.h>
