import { readFile, stat } from "node:fs/promises";

const TIMEOUT_MS = 30_000;

/**
 * Reads a text file that the operator has named by its path or its http(s) URL; undefined if there is none. Rejects with
 * Error if it cannot be read or is larger than `maxBytes`.
 */
export function readOperatorFile(source: string, maxBytes: number): Promise<string | undefined> {
  return isUrl(source) ? fetchText(source, maxBytes) : readText(source, maxBytes);
}

export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

async function readText(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > maxBytes) throw tooLarge(maxBytes);
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function fetchText(url: string, maxBytes: number): Promise<string | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (response.status === 404) {
    await response.body?.cancel();
    return undefined;
  }
  if (!response.ok || !response.body) throw new Error(`the server responded with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(maxBytes: number): Error {
  return new Error(`it is larger than ${maxBytes} bytes`);
}
