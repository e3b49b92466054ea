/** Recognizes an error whose message was replaced. */
const MESSAGE = "purse: chunk not loaded";
/** How browsers and Vite report missing chunks and styles. */
const CHUNK_ERROR = /dynamically imported module|module script failed|error loading|unable to preload/i;

/**
 * Turns a failed dynamic import into an error that `isChunkError()` recognizes. Otherwise the router would reload the page,
 * and without a connection the browser would replace the app with its own error page.
 */
export function handleChunkErrors(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    // Libraries that are not part of the build, such as wallet libraries, report their own errors.
    if (CHUNK_ERROR.test(payload.message)) payload.message = MESSAGE;
  });
}

/** Whether a chunk failed to load. Retrying does not help, because browsers and the router cache the failure. */
export function isChunkError(error: unknown): boolean {
  return error instanceof Error && error.message === MESSAGE;
}
