/** Flags of Node.js and variables of a server's process that keep its memory small. */
export const lowMemory = {
  flags: [
    // Limits the young generation of each thread's heap, which would keep up to 48 MiB once it was used.
    "--max-semi-space-size=8",
    // For the collection before the server listens.
    "--expose-gc",
  ],
  // Limits the heaps of glibc, which would keep several for each core.
  env: { MALLOC_ARENA_MAX: "2" },
};
