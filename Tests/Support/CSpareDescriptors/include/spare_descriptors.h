// Descriptors for Dispatch while a test has taken all others.
//
// Once a second Dispatch opens the file /proc/<thread>/stat of each of its workers if work waits for them, and ends the
// process where it gets no descriptor. This target defines `open` for the process: where there is no descriptor for a file
// below /proc, it returns a spare one.
#pragma once

// Makes spare descriptors with numbers from `lowest` on, above the limit that the test is going to set.
void spare_descriptors_open(int lowest);

// Closes those that are left.
void spare_descriptors_close(void);

// How many were used since the process began.
int spare_descriptors_used(void);
