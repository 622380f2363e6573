#include <hiredis/hiredis.h>
#if HIREDIS_MAJOR == 0 && HIREDIS_MINOR < 13
#error "GatewayRedis needs hiredis 0.13 or later (libhiredis-dev)."
#endif
