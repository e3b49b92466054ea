import {
  APPROVAL_FOR_ALL_TOPIC,
  APPROVAL_TOPIC,
  type BlockContents,
  type BlockReader,
  type InternalTransfer,
  type TokenLabel,
} from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { addressesIn, matchBlock, type StreamMatch } from "./matchBlock.ts";
import { balanceAddresses } from "./nativeBalances.ts";
import type { Stream } from "./stream.ts";
import type { StreamAddresses } from "./streamAddresses.ts";
import { streamPayload } from "./streamPayload.ts";

/** The message of a stream about a block. */
export interface StreamMessage {
  stream: Stream;
  block: BlockContents;
  match: StreamMatch;
  body: JsonObject;
}

export interface MessageDependencies {
  chainId: number;
  reader: BlockReader;
  addresses: Pick<StreamAddresses, "streamsOf">;
  /** Called if streams want internal transactions, but the node does not trace. */
  onNotTraced(): void;
}

/**
 * Creates the messages of streams about blocks, in the order of the blocks. The addresses of all blocks are looked up
 * at once. Rejects with Error if the node does not provide what the streams need.
 */
export async function createMessages(
  blocks: readonly BlockContents[],
  streamsAt: (block: BlockContents) => readonly Stream[],
  dependencies: MessageDependencies,
): Promise<StreamMessage[]> {
  const { chainId, reader, addresses } = dependencies;
  const items: { block: BlockContents; streams: readonly Stream[]; internal: InternalTransfer[] }[] = [];
  for (const block of blocks) {
    const streams = streamsAt(block);
    if (streams.length > 0)
      items.push({ block, streams, internal: await internalTransfers(block, streams, dependencies) });
  }
  const found = await addresses.streamsOf([
    ...new Set(items.flatMap(({ block, internal }) => addressesIn(block, internal))),
  ]);
  const spam = await spamContracts(items, reader);
  const context = {
    chainId,
    streamsOf: (address: string) => found.get(address),
    isSpam: (contract: string) => spam.get(contract)?.isSpam ?? false,
  };
  const matches = items.flatMap(({ block, streams, internal }) =>
    streams.flatMap((stream) => {
      const match = matchBlock(stream, block, internal, context);
      return match ? [{ stream, block, match }] : [];
    }),
  );
  return serialize(matches, dependencies);
}

async function internalTransfers(
  block: BlockContents,
  streams: readonly Stream[],
  { reader, onNotTraced }: MessageDependencies,
): Promise<InternalTransfer[]> {
  if (block.transactions.length === 0 || !streams.some((stream) => stream.includeInternalTxs)) return [];
  const transfers = await reader.internalTransfers(block);
  if (!transfers) onNotTraced();
  return transfers ?? [];
}

/** The labels of the contracts of blocks, if a stream needs them. */
async function spamContracts(
  items: readonly { block: BlockContents; streams: readonly Stream[] }[],
  reader: BlockReader,
): Promise<ReadonlyMap<string, TokenLabel>> {
  const needed = items.filter(({ streams }) =>
    streams.some(
      ({ excludesSpam, conditions }) =>
        excludesSpam || [...conditions.values()].some(({ needsSpam }) => needsSpam),
    ),
  );
  if (needed.length === 0) return new Map();
  const contracts = needed.flatMap(({ block }) => [
    ...block.logs.map(({ address }) => address),
    ...block.transactions.flatMap(({ to }) => to ?? []),
  ]);
  return reader.tokens([...new Set(contracts)], undefined);
}

async function serialize(
  matches: readonly Omit<StreamMessage, "body">[],
  { chainId, reader }: MessageDependencies,
): Promise<StreamMessage[]> {
  if (matches.length === 0) return [];
  const tokens = await tokenLabels(matches, reader);
  const messages: StreamMessage[] = [];
  for (const [block, ofBlock] of Map.groupBy(matches, (each) => each.block)) {
    const needsSignatures = ofBlock.some(({ match }) => match.transactions.length > 0);
    // A message is better without signatures, which may be null, than late.
    const signatures = needsSignatures ? await reader.signatures(block).catch(() => new Map()) : new Map();
    for (const { stream, match } of ofBlock) {
      const body = streamPayload(stream, chainId, block, match, { tokens, signatures });
      const owners = balanceAddresses(stream, body);
      if (owners.length > 0) {
        // Many nodes keep the state of recent blocks only.
        const balances = await reader.nativeBalances(owners, block).catch(() => undefined);
        if (balances)
          body.nativeBalances = owners.map((address) => ({
            address,
            balance: balances.get(address) ?? "0",
          }));
      }
      messages.push({ stream, block, match, body });
    }
  }
  return messages;
}

/** The names of the tokens in messages. */
async function tokenLabels(
  matches: readonly Omit<StreamMessage, "body">[],
  reader: BlockReader,
): Promise<Map<string, TokenLabel>> {
  const standards = new Map<string, number | undefined>();
  for (const { block, match } of matches) {
    const nfts = new Map(block.nftTransfers.map(({ token, standard }) => [token, standard]));
    for (const { address, topics, isErc20 } of match.logs) {
      const isTokenApproval = topics[0] === APPROVAL_TOPIC && topics.length === 4;
      const nft = nfts.get(address) ?? (isTokenApproval ? 721 : undefined);
      if (nft !== undefined) standards.set(address, nft);
      else if (isErc20 || (topics[0] === APPROVAL_TOPIC && topics.length === 3)) standards.set(address, 20);
      else if (topics[0] === APPROVAL_FOR_ALL_TOPIC && !standards.has(address))
        standards.set(address, undefined);
    }
  }
  const groups = Map.groupBy(standards, ([, standard]) => standard);
  const labels = await Promise.all(
    [...groups].map(([standard, entries]) =>
      reader.tokens(
        entries.map(([address]) => address),
        standard,
      ),
    ),
  );
  return new Map(labels.flatMap((each) => [...each]));
}
