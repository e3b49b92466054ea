/** A command was called with wrong arguments: the program ends with 2. */
export class UsageError extends Error {}
