/** The bundled indexer thread, which starts in a fifth of the time of its sources; the global setup of the tests builds it. */
export const INDEXER_MODULE = new URL("../../../.cache/server/indexerThread.js", import.meta.url);
