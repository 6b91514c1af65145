// SPDX-License-Identifier: MIT
//
// A program whose debug information the tests read, and damage.
int small_part(int value);
int main(int count, char**) { return small_part(count); }
