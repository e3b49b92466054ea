import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode, escapeHtml, ProtocolError } from "@purse/protocol";
import { contentTypeOf, extensionOf } from "../http/contentTypes.ts";
import { INERT_HEADERS, sendContent } from "../http/sendContent.ts";
import { askedWidth, MAX_PICTURE, noPicture, sendPicture, type Thumbnails } from "../images/index.ts";
import type { Ipfs, IpfsEntry } from "./ipfs.ts";

/** Where content is served by its CID. */
export const IPFS_PATH = "/ipfs";

type FileEntry = Extract<IpfsEntry, { kind: "file" }>;

/** What a CID names never changes. */
const FOREVER = "public, max-age=31536000, immutable";

/**
 * Serves `/{cid}/{path}` (below IPFS_PATH): files with ranges, folders as lists of links. `?filename=` names a file
 * whose path does not; `?width=` asks for a small picture of one. Throws ProtocolError for what is not here, URIError
 * for broken escapes.
 */
export function createGateway(ipfs: Ipfs, thumbnails: Thumbnails) {
  return async function serve(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
  ): Promise<void> {
    message.resume();
    if (message.method !== "GET" && message.method !== "HEAD") {
      throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "The gateway takes GET and HEAD", 405);
    }
    const [cid = "", ...names] = path.split("/").filter(Boolean).map(decodeURIComponent);
    const entry = await ipfs.read(cid, names);
    if (!entry) {
      const below = names.length > 0 ? " or nothing at this path below it" : "";
      throw new ProtocolError(
        ErrorCode.OBJECT_NOT_FOUND,
        `This server holds no content with the CID ${cid.slice(0, 100)}${below}.`,
        404,
      );
    }
    if (entry.kind === "folder") return sendFolder(message, response, entry, [cid, ...names]);
    const asked = new URLSearchParams(search);
    const name = asked.get("filename") ?? names.at(-1) ?? cid;
    const width = askedWidth(asked);
    if (width === undefined) return sendFile(message, response, entry, name);
    await sendPicture(message, response, {
      picture: await thumbnails.of({ name: entry.cid, read: () => pictureOf(entry) }, width),
      fileName: `${name.replace(/\.[^.]*$/, "")}.webp`,
      cacheControl: FOREVER,
    });
  };
}

async function pictureOf(entry: FileEntry): Promise<Buffer> {
  if (entry.size > MAX_PICTURE) throw noPicture(`it is larger than ${MAX_PICTURE} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read(0, entry.size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function sendFile(
  message: IncomingMessage,
  response: ServerResponse,
  entry: FileEntry,
  name: string,
): Promise<void> {
  const { type, isShown } = extensionOf(name) === "" ? await imageTypeOf(entry) : contentTypeOf(name);
  await sendContent(message, response, {
    size: entry.size,
    etag: `"${entry.cid}"`,
    type,
    isShown,
    fileName: name,
    cacheControl: FOREVER,
    read: (start, end) => entry.read(start, end - start + 1),
  });
}

async function sendFolder(
  message: IncomingMessage,
  response: ServerResponse,
  folder: Extract<IpfsEntry, { kind: "folder" }>,
  path: string[],
): Promise<void> {
  const base = [IPFS_PATH, ...path.map(encodeURIComponent)].join("/");
  const items = (await folder.names())
    .map(
      (name) =>
        `<li><a href="${escapeHtml(`${base}/${encodeURIComponent(name)}`)}">${escapeHtml(name)}</a></li>`,
    )
    .join("");
  const title = escapeHtml(path.join("/"));
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><ul>${items}</ul></html>`;
  response.writeHead(200, {
    ...INERT_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
    "cache-control": FOREVER,
    etag: `"${folder.cid}"`,
  });
  response.end(message.method === "HEAD" ? undefined : page);
}

const SIGNATURES: readonly { bytes: string; type: string }[] = [
  { bytes: "89504e470d0a1a0a", type: "image/png" },
  { bytes: "ffd8ff", type: "image/jpeg" },
  { bytes: "474946383761", type: "image/gif" },
  { bytes: "474946383961", type: "image/gif" },
];

/** Pictures of tokens are addressed by nothing but their CID: browsers show them only under their type. */
async function imageTypeOf(entry: FileEntry): Promise<{ type: string; isShown: boolean }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read(0, Math.min(12, entry.size))) chunks.push(chunk);
  const head = Buffer.concat(chunks).toString("hex");
  const isWebp = head.startsWith("52494646") && head.slice(16, 24) === "57454250";
  const known = isWebp ? "image/webp" : SIGNATURES.find(({ bytes }) => head.startsWith(bytes))?.type;
  return { type: known ?? "application/octet-stream", isShown: known !== undefined };
}
