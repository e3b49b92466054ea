import type { IncomingMessage, ServerResponse } from "node:http";
import { type ChainService, decodeDataUri, type FetchContent, isDataUri } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { FastifyPluginAsync } from "fastify";
import { addressKey } from "../core/http/address.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { DataApiAuthResult } from "../core/http/dataRequest.ts";
import { BROWSER_METHODS } from "../core/http/methods.ts";
import { respondOrStream } from "../core/http/reply.ts";
import { requestTarget } from "../core/http/requestTarget.ts";
import type { Images } from "../modules/images/token.ts";

export interface NftImageDependencies {
  chain: Pick<ChainService, "readNftMetadata">;
  images: Images;
  clientAddressOf: ClientAddressOf;
  fetchContent: FetchContent;
  authenticate(message: IncomingMessage): Promise<DataApiAuthResult>;
}

const DEFAULT_WIDTH = 256;
/** How long images are cached, in seconds, because the content of web URLs may change. */
const MAX_AGE_S = 86_400;
/** Metadata fields that contain the image. */
const IMAGE_KEYS = ["image", "image_url", "image_data"];

/**
 * Creates the route `/nft/:address/:tokenId/image?chain=…&width=…` (below the path of the data API): a harmless thumbnail
 * of the image in an NFT's metadata.
 */
export function createNftImages({
  chain,
  images,
  clientAddressOf,
  fetchContent,
  authenticate,
}: NftImageDependencies): FastifyPluginAsync {
  async function imageUriOf(params: Record<string, string>): Promise<string> {
    const text = await chain.readNftMetadata(params);
    if (text === undefined)
      throw notFound("There is no metadata of such an NFT, or it has not been read yet.");
    const metadata: JsonValue = JSON.parse(text);
    const candidates = IMAGE_KEYS.map((key) => (isJsonObject(metadata) ? metadata[key] : undefined));
    const imageUri = candidates.find((each) => typeof each === "string" && each.trim() !== "");
    if (typeof imageUri !== "string") throw notFound("The metadata of this NFT contains no image.");
    return imageUri.trim();
  }

  async function readImage(imageUri: string, signal: AbortSignal): Promise<Uint8Array> {
    if (imageUri.startsWith("<")) return Buffer.from(imageUri);
    if (isDataUri(imageUri)) return decodeDataUri(imageUri) ?? Buffer.alloc(0);
    try {
      return await fetchContent(imageUri, { maxBytes: images.maxBytes, signal });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw notFound(`The image of this NFT cannot be read: ${reason.slice(0, 200)}`);
    }
  }

  async function sendNftImage(
    message: IncomingMessage,
    response: ServerResponse,
    params: NftImagePath,
    search: string,
  ): Promise<undefined> {
    if (message.method !== "GET" && message.method !== "HEAD")
      throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "Images support GET and HEAD", 405);
    const { error } = await authenticate(message);
    if (error) throw error;
    const query = new URLSearchParams(search);
    const transform = images.requestedThumbnail(query) ?? images.thumbnail(DEFAULT_WIDTH);
    const selector = query.get("chain");
    const imageUri = await imageUriOf({
      address: params.address,
      token_id: params.tokenId,
      ...(selector !== null && { chain: selector }),
    });
    const source = {
      name: imageUri,
      maxAgeMs: MAX_AGE_S * 1_000,
      read: (signal: AbortSignal) => readImage(imageUri, signal),
    };
    await images.send(message, response, {
      source,
      transform,
      client: addressKey(clientAddressOf(message)),
      name: params.tokenId.slice(0, 80),
      cacheControl: `public, max-age=${MAX_AGE_S}`,
    });
    return undefined;
  }

  return async (app) => {
    app.route<{ Params: NftImagePath }>({
      method: BROWSER_METHODS,
      url: "/nft/:address/:tokenId/image",
      config: { api: "data" },
      handler: (request, reply) =>
        respondOrStream(reply, (message, response) =>
          sendNftImage(message, response, request.params, requestTarget(request).search),
        ),
    });
  };
}

interface NftImagePath {
  address: string;
  tokenId: string;
}

function notFound(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message, 404);
}
