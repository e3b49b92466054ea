/** What a page's missing code is called: a sentence of the texts. */
const MESSAGE = "Check your connection and that the server is running, then reload the page.";
/** As browsers say it, and Vite of styles. */
const CHUNK_ERROR = /dynamically imported module|module script failed|error loading|unable to preload/i;

/**
 * Code of a page that does not come, as without a connection, is a failure that people can read. Left as it is, the
 * router would load the whole page anew, and the browser's own page for "no connection" would take the app's place.
 */
export function handleChunkErrors(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    // What was never built in, as a wallet's library, is not the page's own code: whoever wanted it says so.
    if (CHUNK_ERROR.test(payload.message)) payload.message = MESSAGE;
  });
}

/** Asking for the same code again would not help: browsers and the router remember that it is missing. */
export function isChunkError(error: unknown): boolean {
  return error instanceof Error && error.message === MESSAGE;
}
