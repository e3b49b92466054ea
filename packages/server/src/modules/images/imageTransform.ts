import { ErrorCode, ProtocolError } from "@purse/protocol";
import { z } from "zod";

/** Media types of the formats of transformed images. */
export const IMAGE_TYPES = {
  webp: "image/webp",
  avif: "image/avif",
  jpeg: "image/jpeg",
  png: "image/png",
} as const;

type ImageFormat = keyof typeof IMAGE_TYPES;

export interface ImageTransform {
  /** Maximum width and height in pixels. Smaller images are not enlarged. */
  width: number;
  height: number;
  /** `inside` keeps the whole image, `cover` fills the box and crops what is beyond it. */
  fit: "inside" | "cover";
  format: ImageFormat;
  /** From 1 to 100; PNG is lossless. */
  quality: number;
}

/** Standard widths of thumbnails; requested widths are rounded up, so that clients cannot fill the disk with sizes. */
const MAX_THUMBNAIL_WIDTH = 1_024;
const THUMBNAIL_WIDTHS: readonly number[] = [64, 128, 256, 512, MAX_THUMBNAIL_WIDTH];
/** Maximum ratio of height to width of thumbnails. */
const MAX_RATIO = 4;
const MAX_SIDE = 2_048;
const DEFAULTS = { fit: "inside", format: "webp", quality: 80 } as const;

/** The transform of a thumbnail whose width is at most the next standard width, in pixels. */
export function thumbnailTransform(width: number): ImageTransform {
  const standardWidth = THUMBNAIL_WIDTHS.find((each) => each >= width) ?? MAX_THUMBNAIL_WIDTH;
  return { ...DEFAULTS, width: standardWidth, height: standardWidth * MAX_RATIO };
}

/** Parses the requested width of a thumbnail; undefined if none is requested. Throws 142 for an invalid one. */
export function requestedThumbnail(search: URLSearchParams): ImageTransform | undefined {
  const text = search.get("width");
  if (text === null) return undefined;
  const { success, data } = sideUpTo(MAX_THUMBNAIL_WIDTH).safeParse(text);
  if (!success) throw invalidParameter(`width must be an integer from 1 to ${MAX_THUMBNAIL_WIDTH}`);
  return thumbnailTransform(data);
}

const REQUEST = z.object({
  width: sideUpTo(MAX_SIDE).optional(),
  height: sideUpTo(MAX_SIDE).optional(),
  fit: z.enum(["inside", "cover"]).default(DEFAULTS.fit),
  format: z.enum(Object.keys(IMAGE_TYPES) as [ImageFormat, ...ImageFormat[]]).default(DEFAULTS.format),
  quality: integer(1, 100).default(DEFAULTS.quality),
});
const ALLOWED: Record<keyof z.infer<typeof REQUEST>, string> = {
  width: `an integer from 1 to ${MAX_SIDE}`,
  height: `an integer from 1 to ${MAX_SIDE}`,
  fit: "inside or cover",
  format: Object.keys(IMAGE_TYPES).join(", "),
  quality: "an integer from 1 to 100",
};

/**
 * Parses the transform that a URL requests (`width`, `height`, `fit`, `format`, `quality`); undefined if it requests
 * neither a size nor a format. Throws 142 for invalid values.
 */
export function requestedTransform(search: URLSearchParams): ImageTransform | undefined {
  if (!["width", "height", "format"].some((name) => search.has(name))) return undefined;
  const { success, data, error } = REQUEST.safeParse(Object.fromEntries(search));
  if (!success) {
    const name = REQUEST.keyof().parse(error.issues[0]?.path[0]);
    throw invalidParameter(`${name} must be ${ALLOWED[name]}`);
  }
  const { width = MAX_SIDE, height = MAX_SIDE, ...others } = data;
  // Without both sides there is nothing to crop.
  const fit = data.width === undefined || data.height === undefined ? "inside" : data.fit;
  return { ...others, width, height, fit };
}

/** Equal for equal transforms, and valid in file names. */
export function transformKey({ width, height, fit, format, quality }: ImageTransform): string {
  return `${width}x${height}-${fit}-${quality}.${format}`;
}

function sideUpTo(max: number) {
  return integer(1, max);
}

function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

function invalidParameter(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
