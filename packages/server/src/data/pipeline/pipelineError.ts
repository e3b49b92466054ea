/** An invalid pipeline, or a value that an operator does not take. Clients receive it as error 102. */
export class PipelineError extends Error {}
