import { createHash } from "node:crypto";
import { isInstalled, unavailable } from "../../core/featurePackages.ts";
import { sendContent } from "../../core/http/sendContent.ts";
import { IMAGE_TYPES, requestedThumbnail, requestedTransform, thumbnailTransform } from "./imageTransform.ts";
import type { Images } from "./token.ts";
import { invalidImage, MAX_IMAGE_BYTES, type TransformedImages } from "./transformedImages.ts";

/** What other parts of the server do with transformed images. */
export function createImages(transformed: TransformedImages): Images {
  return {
    maxBytes: MAX_IMAGE_BYTES,
    requestedTransform,
    requestedThumbnail,
    thumbnail: thumbnailTransform,
    async read(size, chunks) {
      if (size > MAX_IMAGE_BYTES) throw invalidImage(`it is larger than ${MAX_IMAGE_BYTES} bytes`);
      const copies: Uint8Array[] = [];
      for await (const chunk of chunks) copies.push(Uint8Array.from(chunk));
      return Buffer.concat(copies);
    },
    async send(message, response, { source, transform, client, name, cacheControl }) {
      if (!isInstalled("@purse/images"))
        throw unavailable("@purse/images", "Images cannot be sent in other sizes and formats");
      const { format } = transform;
      const image = await transformed.get(source, transform, client);
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
    },
  };
}
