import sharp from "sharp";

/** What is decoded, whatever a file says of itself; other formats are no pictures here. */
const FORMATS = ["Jpeg", "Png", "Webp", "Nsgif", "Svg", "Heif"];
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: FORMATS.map((format) => `VipsForeignLoad${format}`) });
sharp.cache(false);
sharp.concurrency(1);

/** Pixels of a picture that is read: four bytes each while it is. */
const MAX_PIXELS = 40_000_000;
/** Times as high as wide at most: what is longer is cut. */
const MAX_RATIO = 4;

/** A picture of `width` pixels at most, as a still WebP without anything else in it. Rejects with Error for what is none. */
export async function smallPicture(content: Uint8Array, width: number): Promise<Uint8Array> {
  return sharp(content, { limitInputPixels: MAX_PIXELS, failOn: "error", pages: 1 })
    .autoOrient()
    .resize({ width, height: width * MAX_RATIO, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
