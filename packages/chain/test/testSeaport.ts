import { readFileSync } from "node:fs";
import {
  type Address,
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { LocalChain, TestChain } from "./testChain.ts";

/** Support for tests with the real Seaport contracts (`test/seaport`): their deployment, signed orders, fulfillments. */

export const SEAPORT_VERSIONS = ["1.5", "1.6"] as const;
export type SeaportVersion = (typeof SEAPORT_VERSIONS)[number];

const abi = parseAbi([
  "struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }",
  "struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }",
  "struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }",
  "struct Order { OrderParameters parameters; bytes signature; }",
  "struct AdvancedOrder { OrderParameters parameters; uint120 numerator; uint120 denominator; bytes signature; bytes extraData; }",
  "struct CriteriaResolver { uint256 orderIndex; uint8 side; uint256 index; uint256 identifier; bytes32[] criteriaProof; }",
  "struct FulfillmentComponent { uint256 orderIndex; uint256 itemIndex; }",
  "struct Fulfillment { FulfillmentComponent[] offerComponents; FulfillmentComponent[] considerationComponents; }",
  "function matchAdvancedOrders(AdvancedOrder[] orders, CriteriaResolver[] criteriaResolvers, Fulfillment[] fulfillments, address recipient) payable",
  "function information() view returns (string version, bytes32 domainSeparator, address conduitController)",
  "function fulfillAdvancedOrder(AdvancedOrder advancedOrder, CriteriaResolver[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient) payable returns (bool)",
]);

const typed = {
  OrderComponents: [
    { name: "offerer", type: "address" },
    { name: "zone", type: "address" },
    { name: "offer", type: "OfferItem[]" },
    { name: "consideration", type: "ConsiderationItem[]" },
    { name: "orderType", type: "uint8" },
    { name: "startTime", type: "uint256" },
    { name: "endTime", type: "uint256" },
    { name: "zoneHash", type: "bytes32" },
    { name: "salt", type: "uint256" },
    { name: "conduitKey", type: "bytes32" },
    { name: "counter", type: "uint256" },
  ],
  OfferItem: [
    { name: "itemType", type: "uint8" },
    { name: "token", type: "address" },
    { name: "identifierOrCriteria", type: "uint256" },
    { name: "startAmount", type: "uint256" },
    { name: "endAmount", type: "uint256" },
  ],
  ConsiderationItem: [
    { name: "itemType", type: "uint8" },
    { name: "token", type: "address" },
    { name: "identifierOrCriteria", type: "uint256" },
    { name: "startAmount", type: "uint256" },
    { name: "endAmount", type: "uint256" },
    { name: "recipient", type: "address" },
  ],
} as const;

/** Seaport's item types. */
const KIND = { coin: 0, erc20: 1, erc721: 2, erc1155: 3, anyErc721: 4 } as const;

export interface ItemInput {
  kind: keyof typeof KIND;
  token?: Address;
  id?: bigint;
  amount?: bigint;
}

interface OrderInput {
  /** An account of the local chain. */
  by: number;
  offer: ItemInput[];
  /** Sent to the named account, or to the offerer. */
  wants: (ItemInput & { to?: number })[];
  /** The filled fraction. */
  part?: [numerator: bigint, denominator: bigint];
  /** Without a signature: the offerer is the caller. */
  unsigned?: boolean;
}

/** `[order, item]` of the offer and of the consideration. */
type FulfillmentInput = [from: [number, number][], to: [number, number][]];

export interface SeaportHand {
  address: Address;
  match(
    by: number,
    orders: OrderInput[],
    fulfillments: FulfillmentInput[],
    more?: { criteria?: { order: number; side: 0 | 1; id: bigint }[]; value?: bigint },
  ): Promise<Hex>;
  fulfill(by: number, order: OrderInput, value?: bigint): Promise<Hex>;
}

function code(name: string): Hex {
  const text = readFileSync(new URL(`./seaport/${name}.txt`, import.meta.url), "utf8").trim();
  return `0x${text.slice(2)}`;
}

export async function deploySeaport(
  chain: TestChain,
  { accounts }: LocalChain,
  version: SeaportVersion,
): Promise<SeaportHand> {
  const client = createPublicClient({ transport: http(chain.url), cacheTime: 0 });
  const controller = (await chain.create(code("conduit-controller"))).contractAddress ?? zeroAddress;
  const argument = encodeAbiParameters(parseAbiParameters("address"), [controller]);
  const created = await chain.create(`${code(`seaport-${version}`)}${argument.slice(2)}`);
  const address = created.contractAddress ?? zeroAddress;
  const [own] = await client.readContract({ address, abi, functionName: "information" });
  if (own !== version) throw new Error(`the bytecode is of Seaport ${own}, not ${version}`);
  /** Differs for each order. */
  let salt = 0n;

  const endTime = 2n ** 40n;

  async function advanced({ by, offer, wants, part = [1n, 1n], unsigned }: OrderInput) {
    const maker = privateKeyToAccount(accounts[by]?.privateKey ?? "0x");
    const item = ({ kind, token = zeroAddress, id = 0n, amount = 1n }: ItemInput) => ({
      itemType: KIND[kind],
      token,
      identifierOrCriteria: id,
      startAmount: amount,
      endAmount: amount,
    });
    salt += 1n;
    const parameters = {
      offerer: maker.address,
      zone: zeroAddress,
      offer: offer.map(item),
      consideration: wants.map((each) => ({ ...item(each), recipient: chain.account(each.to ?? by) })),
      // Allows partial fills.
      orderType: 1,
      startTime: 0n,
      endTime,
      zoneHash: zeroHash,
      salt,
      conduitKey: zeroHash,
    };
    const signature: Hex = unsigned
      ? "0x"
      : await maker.signTypedData({
          domain: { name: "Seaport", version, chainId: chain.chainId, verifyingContract: address },
          types: typed,
          primaryType: "OrderComponents",
          message: { ...parameters, counter: 0n },
        });
    const [numerator, denominator] = part;
    const extraData: Hex = "0x";
    const totalOriginalConsiderationItems = BigInt(wants.length);
    return {
      parameters: { ...parameters, totalOriginalConsiderationItems },
      numerator,
      denominator,
      signature,
      extraData,
    };
  }

  async function send(by: number, data: Hex, value: bigint): Promise<Hex> {
    // Only a simulation returns the reason for a revert.
    await client.call({ account: chain.account(by), to: address, data, value });
    return (await chain.send(by, address, data, value)).transactionHash;
  }

  return {
    address,
    async match(by, orders, fulfillments, { criteria = [], value = 0n } = {}) {
      const component = ([order, item]: [number, number]) => ({
        orderIndex: BigInt(order),
        itemIndex: BigInt(item),
      });
      const data = encodeFunctionData({
        abi,
        functionName: "matchAdvancedOrders",
        args: [
          await Promise.all(orders.map(advanced)),
          criteria.map(({ order, side, id }) => ({
            orderIndex: BigInt(order),
            side,
            index: 0n,
            identifier: id,
            criteriaProof: [],
          })),
          fulfillments.map(([from, to]) => ({
            offerComponents: from.map(component),
            considerationComponents: to.map(component),
          })),
          zeroAddress,
        ],
      });
      return send(by, data, value);
    },
    async fulfill(by, order, value = 0n) {
      const args = [await advanced(order), [], zeroHash, zeroAddress] as const;
      return send(by, encodeFunctionData({ abi, functionName: "fulfillAdvancedOrder", args }), value);
    },
  };
}
