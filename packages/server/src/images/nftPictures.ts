import type { IncomingMessage, ServerResponse } from "node:http";
import { type ChainService, dataUriContent, type FetchContent, isDataUri } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Admission } from "../http/dataGate.ts";
import { sendPicture } from "./sendPicture.ts";
import { askedWidth, MAX_PICTURE, type Thumbnails } from "./thumbnails.ts";

export interface NftPicturesParts {
  chain: Pick<ChainService, "metadataText">;
  thumbnails: Thumbnails;
  fetchContent: FetchContent;
  admit(message: IncomingMessage): Promise<Admission>;
}

const PATH = /^\/nft\/([^/]+)\/([^/]+)\/image$/;
/** Where nobody says how wide. */
const WIDTH = 256;
/** What an address of the web names may change. */
const MAX_AGE_S = 86_400;
/** Where the metadata of NFTs says what they look like. */
const PICTURE_KEYS = ["image", "image_url", "image_data"];

/**
 * `/nft/{address}/{token_id}/image?chain=…&width=…` below the data service's path: the picture that an NFT's metadata
 * names, small and harmless. The way to answer such a request; undefined for other paths. Rejects with ProtocolError.
 */
export function nftPictures({ chain, thumbnails, fetchContent, admit }: NftPicturesParts) {
  async function pictureOf(params: Record<string, string>): Promise<string> {
    const text = await chain.metadataText(params);
    if (text === undefined)
      throw notFound("There is no metadata of such an NFT, or it has not been read yet.");
    const metadata: JsonValue = JSON.parse(text);
    const named = PICTURE_KEYS.map((key) => (isJsonObject(metadata) ? metadata[key] : undefined));
    const picture = named.find((each) => typeof each === "string" && each.trim() !== "");
    if (typeof picture !== "string") throw notFound("The metadata of this NFT names no picture.");
    return picture.trim();
  }

  async function contentOf(picture: string, signal: AbortSignal): Promise<Uint8Array> {
    if (picture.startsWith("<")) return Buffer.from(picture);
    if (isDataUri(picture)) return dataUriContent(picture) ?? Buffer.alloc(0);
    try {
      return await fetchContent(picture, { maxBytes: MAX_PICTURE, signal });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw notFound(`The picture of this NFT cannot be read: ${why.slice(0, 200)}`);
    }
  }

  return (
    path: string,
  ): ((message: IncomingMessage, response: ServerResponse, search: string) => Promise<void>) | undefined => {
    const [, address, tokenId] = PATH.exec(path) ?? [];
    if (address === undefined || tokenId === undefined) return undefined;
    return async (message, response, search) => {
      message.resume();
      if (message.method !== "GET" && message.method !== "HEAD") {
        throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "Pictures take GET and HEAD", 405);
      }
      const { refusal } = await admit(message);
      if (refusal) throw refusal;
      const asked = new URLSearchParams(search);
      const width = askedWidth(asked) ?? WIDTH;
      const selector = asked.get("chain");
      const picture = await pictureOf({
        address: decodeURIComponent(address),
        token_id: decodeURIComponent(tokenId),
        ...(selector !== null && { chain: selector }),
      });
      const source = {
        name: picture,
        maxAgeMs: MAX_AGE_S * 1_000,
        read: (signal: AbortSignal) => contentOf(picture, signal),
      };
      await sendPicture(message, response, {
        picture: await thumbnails.of(source, width),
        fileName: `${tokenId.slice(0, 80)}.webp`,
        cacheControl: `public, max-age=${MAX_AGE_S}`,
      });
    };
  };
}

function notFound(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message, 404);
}
