// SPDX-License-Identifier: MIT
//
// A program whose debug information the tests read, and damage.
int main(int count, char**) { return count - 1; }
