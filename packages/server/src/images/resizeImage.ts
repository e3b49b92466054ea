import sharp from "sharp";

/** Formats that are decoded; all others are rejected. */
const FORMATS = ["Jpeg", "Png", "Webp", "Nsgif", "Svg", "Heif"];
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: FORMATS.map((format) => `VipsForeignLoad${format}`) });
sharp.cache(false);
sharp.concurrency(1);

/** Maximum number of pixels of an image: decoding takes four bytes each. */
const MAX_PIXELS = 40_000_000;
/** Maximum ratio of height to width. */
const MAX_RATIO = 4;

/**
 * Resizes an image to at most `width` pixels, as a still WebP without metadata. Rejects with Error for invalid images.
 */
export async function resizeImage(content: Uint8Array, width: number): Promise<Uint8Array> {
  return sharp(content, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 })
    .autoOrient()
    .resize({ width, height: width * MAX_RATIO, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
