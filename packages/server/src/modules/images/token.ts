import type { IncomingMessage, ServerResponse } from "node:http";
import { token } from "@purse/kernel";
import type { ImageTransform } from "./imageTransform.ts";
import type { ImageSource } from "./transformedImages.ts";

/** An image that is sent in another size and format. */
interface SentImage {
  source: ImageSource;
  transform: ImageTransform;
  /** The key of the client's address, by which clients take turns. */
  client: string;
  /** The file name; the extension of the format replaces its own. */
  name: string;
  cacheControl: string;
}

/** Images in other sizes and formats. */
export interface Images {
  /** Maximum size of content to be transformed, in bytes. */
  maxBytes: number;
  /**
   * Parses the transform that a URL requests (`width`, `height`, `fit`, `format`, `quality`); undefined if it requests
   * neither a size nor a format. Throws 142 for invalid values.
   */
  requestedTransform(search: URLSearchParams): ImageTransform | undefined;
  /** Parses the requested width of a thumbnail; undefined if none is requested. Throws 142 for an invalid one. */
  requestedThumbnail(search: URLSearchParams): ImageTransform | undefined;
  /** The transform of a thumbnail whose width is at most the next standard width, in pixels. */
  thumbnail(width: number): ImageTransform;
  /** Reads the content of an image of `size` bytes. A chunk has to be valid only until the next one. Throws 415 if it is too large. */
  read(size: number, chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array>;
  /**
   * Transforms an image, unless that is cached, and sends it. Rejects with ProtocolError: 404 if the content cannot be read,
   * 415 if it is not an image, 429 or 503 if too many wait, 503 if it takes too long.
   */
  send(message: IncomingMessage, response: ServerResponse, image: SentImage): Promise<void>;
}

export const IMAGES = token<Images>("images");
