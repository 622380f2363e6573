// Descriptors for Dispatch while a test has taken all others.
//
// Once a second, if work waits for its workers, Dispatch opens the file /proc/<thread>/stat of each, and ends the process
// where it gets no descriptor. This target defines `open` for the process: where there is no descriptor for such a file, it
// returns a spare one. That one is of the process; Dispatch reads only the letter of the state, and at worst starts more
// workers.
#pragma once

// Makes spare descriptors with numbers from `lowest` on, above the limit that the test is going to set. Returns how many.
int spare_descriptors_open(int lowest);

// Closes those that are left.
void spare_descriptors_close(void);

// How many were used since the process began.
int spare_descriptors_used(void);
