import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode, escapeHtml, ProtocolError } from "@purse/protocol";
import { addressKey } from "../../core/http/address.ts";
import type { ApiReply, StreamHandler } from "../../core/http/apiRoute.ts";
import type { ClientAddressOf } from "../../core/http/clientAddress.ts";
import { contentTypeOf, extensionOf } from "../../core/http/contentTypes.ts";
import { IMMUTABLE, INERT_HEADERS, sendContent } from "../../core/http/sendContent.ts";
import { IPFS_PATH } from "../../data/fileUrls.ts";
import type { Images } from "../images/token.ts";
import type { Ipfs, IpfsEntry } from "./ipfs.ts";

type FileEntry = Extract<IpfsEntry, { kind: "file" }>;

/**
 * Creates the handler of `/{cid}/{path}` (below IPFS_PATH): files with ranges, folders as lists of links. `?filename=`
 * sets the file name; `?width=` requests a thumbnail. Throws ProtocolError for missing content, URIError for invalid
 * escapes.
 */
export function createIpfsGateway(
  ipfs: Ipfs,
  images: Images,
  clientAddressOf: ClientAddressOf,
): StreamHandler {
  return async function serve(message, response, path, search) {
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
    if (entry.kind === "folder") return folderReply(entry, [cid, ...names]);
    const query = new URLSearchParams(search);
    const name = query.get("filename") ?? names.at(-1) ?? cid;
    const transform = images.requestedThumbnail(query);
    if (!transform) {
      await sendFile(message, response, entry, name);
      return undefined;
    }
    const source = { name: entry.cid, read: () => images.read(entry.size, entry.read(0, entry.size)) };
    await images.send(message, response, {
      source,
      transform,
      client: addressKey(clientAddressOf(message)),
      name,
      // Content of a CID never changes.
      cacheControl: IMMUTABLE,
    });
    return undefined;
  };
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
    cacheControl: IMMUTABLE,
    read: (start, end) => entry.read(start, end - start + 1),
  });
}

async function folderReply(
  folder: Extract<IpfsEntry, { kind: "folder" }>,
  path: string[],
): Promise<ApiReply> {
  const base = [IPFS_PATH, ...path.map(encodeURIComponent)].join("/");
  const items = (await folder.names())
    .map(
      (name) =>
        `<li><a href="${escapeHtml(`${base}/${encodeURIComponent(name)}`)}">${escapeHtml(name)}</a></li>`,
    )
    .join("");
  const title = escapeHtml(path.join("/"));
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><ul>${items}</ul></html>`;
  return {
    status: 200,
    body: page,
    headers: {
      ...INERT_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "cache-control": IMMUTABLE,
      etag: `"${folder.cid}"`,
    },
  };
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
