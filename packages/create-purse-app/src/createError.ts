/** A project cannot be created, with a message for the user. */
export class CreateError extends Error {}

/** The program was called with wrong arguments: it ends with 2. */
export class UsageError extends CreateError {}
