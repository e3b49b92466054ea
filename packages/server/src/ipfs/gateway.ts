import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode, escapeHtml, ProtocolError } from "@purse/protocol";
import { contentTypeOf, extensionOf } from "../core/http/contentTypes.ts";
import { INERT_HEADERS, sendContent } from "../core/http/sendContent.ts";
import { IPFS_PATH } from "../data/fileUrls.ts";
import {
  invalidImage,
  MAX_IMAGE_BYTES,
  requestedWidth,
  sendImage,
  type Thumbnails,
} from "../images/index.ts";
import type { Ipfs, IpfsEntry } from "./ipfs.ts";

type FileEntry = Extract<IpfsEntry, { kind: "file" }>;

/** Content of a CID never changes. */
const FOREVER = "public, max-age=31536000, immutable";

/**
 * Creates the handler of `/{cid}/{path}` (below IPFS_PATH): files with ranges, folders as lists of links. `?filename=`
 * sets the file name; `?width=` requests a thumbnail. Throws ProtocolError for missing content, URIError for invalid
 * escapes.
 */
export function createIpfsGateway(ipfs: Ipfs, thumbnails: Thumbnails) {
  return async function serve(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
  ): Promise<void> {
    message.resume();
    if (message.method !== "GET" && message.method !== "HEAD") {
      throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "The gateway supports GET and HEAD", 405);
    }
    const [cid = "", ...names] = path.split("/").filter(Boolean).map(decodeURIComponent);
    const entry = await ipfs.read(cid, names);
    if (!entry) {
      const below = names.length > 0 ? " or nothing at this path below it" : "";
      throw new ProtocolError(
        ErrorCode.OBJECT_NOT_FOUND,
        `This server has no content with the CID ${cid.slice(0, 100)}${below}.`,
        404,
      );
    }
    if (entry.kind === "folder") return sendFolder(message, response, entry, [cid, ...names]);
    const query = new URLSearchParams(search);
    const name = query.get("filename") ?? names.at(-1) ?? cid;
    const width = requestedWidth(query);
    if (width === undefined) return sendFile(message, response, entry, name);
    await sendImage(message, response, {
      image: await thumbnails.get({ name: entry.cid, read: () => readImage(entry) }, width),
      fileName: `${name.replace(/\.[^.]*$/, "")}.webp`,
      cacheControl: FOREVER,
    });
  };
}

async function readImage(entry: FileEntry): Promise<Buffer> {
  if (entry.size > MAX_IMAGE_BYTES) throw invalidImage(`it is larger than ${MAX_IMAGE_BYTES} bytes`);
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
  const { type, isInline } = extensionOf(name) === "" ? await imageTypeOf(entry) : contentTypeOf(name);
  await sendContent(message, response, {
    size: entry.size,
    etag: `"${entry.cid}"`,
    type,
    isInline,
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

/** Images of tokens often have no name but their CID: browsers display them only with the right type. */
async function imageTypeOf(entry: FileEntry): Promise<{ type: string; isInline: boolean }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read(0, Math.min(12, entry.size))) chunks.push(chunk);
  const head = Buffer.concat(chunks).toString("hex");
  const isWebp = head.startsWith("52494646") && head.slice(16, 24) === "57454250";
  const imageType = isWebp ? "image/webp" : SIGNATURES.find(({ bytes }) => head.startsWith(bytes))?.type;
  return { type: imageType ?? "application/octet-stream", isInline: imageType !== undefined };
}
