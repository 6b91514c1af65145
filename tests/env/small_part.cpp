// SPDX-License-Identifier: MIT
//
// A second source of the small program, compiled like the first.
int small_part(int value);
int small_part(int value) { return value - 1; }
