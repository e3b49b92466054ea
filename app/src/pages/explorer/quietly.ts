import { ParseError, type Web3API } from "@purse/client";
import { askTogether } from "../../wallet/askTogether.ts";

interface Options {
  signal?: AbortSignal;
}

type Operation = (parameters: never) => Promise<unknown>;
type Quiet<O extends Operation> = (
  params: Parameters<O>[0] & object,
  options?: Options,
) => Promise<Awaited<ReturnType<O>>>;

/**
 * An operation of the data service that may well find nothing, which is an answer here and not a failure: browsers log
 * refused requests as errors, but not a part of one that was refused. Throws ParseError as the operation itself.
 */
function quietly<O extends Operation>(name: string): Quiet<O> {
  return async (params, options) => {
    const [part] = await askTogether(name, [params], options);
    if (part && "answer" in part) return Object(part.answer);
    throw new ParseError(part?.code ?? ParseError.OTHER_CAUSE, part?.message ?? "");
  };
}

type Api = typeof Web3API;
export const getBlock = quietly<Api["native"]["getBlock"]>("getBlock");
export const getTransaction = quietly<Api["native"]["getTransaction"]>("getTransaction");
export const getDateToBlock = quietly<Api["native"]["getDateToBlock"]>("getDateToBlock");
export const getLogsByAddress = quietly<Api["native"]["getLogsByAddress"]>("getLogsByAddress");
export const getNFTTransfersByBlock =
  quietly<Api["native"]["getNFTTransfersByBlock"]>("getNFTTransfersByBlock");
export const getTokenPrice = quietly<Api["token"]["getTokenPrice"]>("getTokenPrice");
export const getTokenIdMetadata = quietly<Api["token"]["getTokenIdMetadata"]>("getTokenIdMetadata");
export const getNFTMetadata = quietly<Api["token"]["getNFTMetadata"]>("getNFTMetadata");
export const getPairAddress = quietly<Api["defi"]["getPairAddress"]>("getPairAddress");
export const getPairReserves = quietly<Api["defi"]["getPairReserves"]>("getPairReserves");
