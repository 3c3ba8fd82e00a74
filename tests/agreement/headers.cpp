// Nothing: it stands for the programs of the tests where the headers that these share are compiled, once for all.
// SPDX-License-Identifier: Apache-2.0
int main() {}
