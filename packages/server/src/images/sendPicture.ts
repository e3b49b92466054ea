import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendContent } from "../http/sendContent.ts";

/** Answers with a picture that Purse has made itself. */
export async function sendPicture(
  message: IncomingMessage,
  response: ServerResponse,
  { picture, fileName, cacheControl }: { picture: Buffer; fileName: string; cacheControl: string },
): Promise<void> {
  await sendContent(message, response, {
    size: picture.length,
    etag: `"${createHash("sha256").update(picture).digest("base64url")}"`,
    type: "image/webp",
    isShown: true,
    fileName,
    cacheControl,
    async *read(start, end) {
      yield picture.subarray(start, end + 1);
    },
  });
}
