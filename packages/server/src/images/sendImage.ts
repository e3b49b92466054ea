import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendContent } from "../core/http/sendContent.ts";
import { IMAGE_TYPES, type ImageFormat } from "./imageTransform.ts";

export interface SentImage {
  image: Buffer;
  format: ImageFormat;
  /** The file name; the extension of the format replaces its own. */
  name: string;
  cacheControl: string;
}

/** Sends an image that this server has created. */
export async function sendImage(
  message: IncomingMessage,
  response: ServerResponse,
  { image, format, name, cacheControl }: SentImage,
): Promise<void> {
  await sendContent(message, response, {
    size: image.length,
    etag: `"${createHash("sha256").update(image).digest("base64url")}"`,
    type: IMAGE_TYPES[format],
    isInline: true,
    fileName: `${name.replace(/\.[^.]*$/, "")}.${format}`,
    cacheControl,
    async *read(start, end) {
      yield image.subarray(start, end + 1);
    },
  });
}
