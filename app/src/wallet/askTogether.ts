import { CoreManager, connection } from "@purse/client";

export type Part = { answer: unknown } | { code: number; message: string };

/** As many as the server's gates like in one request. */
const MOST = 100;

/**
 * One function of the server for many parameters, in one request. That some of them find nothing is an ordinary
 * answer here: it fails neither the others nor, in the browser's eyes, the request.
 */
export async function askTogether(
  name: string,
  parameters: readonly object[],
  options: { signal?: AbortSignal } = {},
): Promise<Part[]> {
  const mount = new URL(connection().serverUrl, window.location.href).pathname.replace(/\/$/, "");
  const parts: Part[] = [];
  for (let from = 0; from < parameters.length; from += MOST) {
    const requests = parameters
      .slice(from, from + MOST)
      .map((body) => ({ method: "POST", path: `${mount}/functions/${name}`, body }));
    const rows: unknown = await CoreManager.getRESTController().request(
      "POST",
      "batch",
      { requests },
      options,
    );
    if (!Array.isArray(rows) || rows.length !== requests.length) {
      throw new Error("The server has answered something else.");
    }
    parts.push(...rows.map(partOf));
  }
  return parts;
}

function partOf(row: unknown): Part {
  const { success, error } = Object(row);
  if (success) return { answer: Object(success).result };
  const { code, error: message } = Object(error);
  return { code: Number(code), message: String(message) };
}
