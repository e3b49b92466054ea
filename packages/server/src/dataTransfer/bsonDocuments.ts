import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";

/** MongoDB's limit for a document, in bytes, with what its tools add. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024;
const LENGTH_BYTES = 4;

/**
 * Yields the documents of a file of `mongodump`, also one with `--gzip`, as their bytes; each is valid until the next one is
 * requested. Throws Error that names the position of what is no document.
 */
async function* bsonDocuments(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  const content = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  file.once("error", (error) => content.destroy(error));
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  for await (const chunk of content) {
    if (!Buffer.isBuffer(chunk)) throw new Error("unreachable: the stream has no encoding");
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= LENGTH_BYTES) {
      const length = rest.readInt32LE(at);
      if (length <= LENGTH_BYTES || length > MAX_DOCUMENT_BYTES)
        throw new Error(`${path} has no BSON document at byte ${position}`);
      if (rest.length - at < length) break;
      yield rest.subarray(at, at + length);
      at += length;
      position += length;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new Error(`${path} ends within the document at byte ${position}`);
}

/** Yields the documents as Extended JSON (version 2, relaxed), as `mongoexport` writes them. */
export async function* bsonTexts(path: string): AsyncGenerator<string> {
  const { deserialize, EJSON } = await import("bson");
  for await (const bytes of bsonDocuments(path))
    yield EJSON.stringify(deserialize(bytes, { promoteValues: false, bsonRegExp: true }), { relaxed: true });
}
