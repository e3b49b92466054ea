import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendContent } from "../core/http/sendContent.ts";

/** Sends an image that this server has created. */
export async function sendImage(
  message: IncomingMessage,
  response: ServerResponse,
  { image, fileName, cacheControl }: { image: Buffer; fileName: string; cacheControl: string },
): Promise<void> {
  await sendContent(message, response, {
    size: image.length,
    etag: `"${createHash("sha256").update(image).digest("base64url")}"`,
    type: "image/webp",
    isInline: true,
    fileName,
    cacheControl,
    async *read(start, end) {
      yield image.subarray(start, end + 1);
    },
  });
}
