import sharp from "sharp";
import type { ImageTransform } from "./imageTransform.ts";

/** Formats that are decoded; all others are rejected. */
const FORMATS = ["Jpeg", "Png", "Webp", "Nsgif", "Svg", "Heif"];
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: FORMATS.map((format) => `VipsForeignLoad${format}`) });
sharp.cache(false);
sharp.concurrency(1);

/** Maximum number of pixels of an image: decoding takes four bytes each. */
const MAX_PIXELS = 40_000_000;
/** How much work AVIF may take, from 0 to 9: more makes files little smaller and takes several times as long. */
const AVIF_EFFORT = { small: 2, large: 0 };
/** From this number of pixels on, an AVIF is large. */
const LARGE_PIXELS = 1_000_000;
/** AVIF of a higher quality takes several times as long, and looks the same. */
const MAX_AVIF_QUALITY = 80;

/** Resizes and converts an image into a still one without metadata. Rejects with Error for invalid images. */
export async function transformImage(content: Uint8Array, transform: ImageTransform): Promise<Uint8Array> {
  const { width, height, fit, format, quality } = transform;
  const image = sharp(content, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 })
    .autoOrient()
    .resize({ width, height, fit, withoutEnlargement: true });
  switch (format) {
    case "webp":
      return image.webp({ quality }).toBuffer();
    case "avif":
      return image
        .avif({
          quality: Math.min(quality, MAX_AVIF_QUALITY),
          effort: width * height < LARGE_PIXELS ? AVIF_EFFORT.small : AVIF_EFFORT.large,
        })
        .toBuffer();
    case "jpeg":
      // JPEG has no transparency.
      return image.flatten({ background: "#fff" }).jpeg({ quality, mozjpeg: true }).toBuffer();
    case "png":
      return image.png().toBuffer();
  }
}
