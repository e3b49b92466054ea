import { decodeAbiParameters, encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from "viem";
import { namehash, normalize, packetToBytes } from "viem/ens";
import type { ChainNode } from "../node/chainNode.ts";
import { type AskGateway, callOffchain } from "./offchainLookup.ts";

const REGISTRY = parseAbi(["function resolver(bytes32 node) view returns (address)"]);
const RESOLVER = parseAbi([
  "function addr(bytes32 node) view returns (address)",
  "function name(bytes32 node) view returns (string)",
  "function resolve(bytes name, bytes data) view returns (bytes)",
  "function supportsInterface(bytes4 id) view returns (bool)",
]);
/** Of a resolver of all names below its own (ENSIP-10). */
const EXTENDED = "0x9061b923";
const MAX_LABELS = 32;
const MAX_NAME_BYTES = 255;

/** The names of one registry as that of ENS (EIP-137), on one chain. */
export class Ens {
  readonly #node: ChainNode;
  readonly #registry: string;
  readonly #askGateway: AskGateway | undefined;

  /** Without `askGateway` names that are resolved outside of the chain have no address. */
  constructor(node: ChainNode, registry: string, askGateway: AskGateway | undefined) {
    this.#node = node;
    this.#registry = registry;
    this.#askGateway = askGateway;
  }

  /** The address of a name in its normal form, lower-case hex; undefined where it has none. */
  async addressOf(name: string): Promise<string | undefined> {
    const node = namehash(name);
    const data = encodeFunctionData({ abi: RESOLVER, functionName: "addr", args: [node] });
    const answer = await this.#resolve(name, data);
    const address = answer && addressIn(answer);
    return address === zeroAddress ? undefined : address;
  }

  /** The name that an address calls itself, where that name stands for the address (ENSIP-3). */
  async nameOf(address: string): Promise<string | undefined> {
    const reverse = `${address.slice(2)}.addr.reverse`;
    const data = encodeFunctionData({ abi: RESOLVER, functionName: "name", args: [namehash(reverse)] });
    const answer = await this.#resolve(reverse, data);
    const name = answer && textIn(answer);
    // A name in another than its normal form is one that only looks like it.
    if (!name || normalForm(name) !== name) return undefined;
    return (await this.addressOf(name)) === address ? name : undefined;
  }

  /** Asks the resolver of a name, or of the nearest name above it that answers for all below (ENSIP-10). */
  async #resolve(name: string, data: Hex): Promise<string | undefined> {
    const labels = name.split(".");
    if (labels.length > MAX_LABELS) return undefined;
    const suffixes = labels.map((_, i) => labels.slice(i).join("."));
    const found = await this.#node.readContracts(
      suffixes.map((suffix) => ({
        to: this.#registry,
        data: encodeFunctionData({ abi: REGISTRY, functionName: "resolver", args: [namehash(suffix)] }),
      })),
      "latest",
    );
    const resolvers = found.map((answer) => (answer ? addressIn(answer) : undefined));
    const at = resolvers.findIndex((each) => each !== undefined && each !== zeroAddress);
    const resolver = resolvers[at];
    if (!resolver) return undefined;
    const isExtended = await this.#isExtended(resolver);
    if (!isExtended) {
      // Whoever answers for one name does not answer for those below.
      return at === 0 ? callOffchain(this.#node, resolver, data, this.#askGateway) : undefined;
    }
    const asked = encodeFunctionData({
      abi: RESOLVER,
      functionName: "resolve",
      args: [toHex(packetToBytes(name)), data],
    });
    const answer = await callOffchain(this.#node, resolver, asked, this.#askGateway);
    return answer && bytesIn(answer);
  }

  async #isExtended(resolver: string): Promise<boolean> {
    const data = encodeFunctionData({ abi: RESOLVER, functionName: "supportsInterface", args: [EXTENDED] });
    const [answer] = await this.#node.readContracts([{ to: resolver, data }], "latest");
    return answer !== undefined && /^0x0{63}1$/.test(answer);
  }
}

/** A name in its normal form (ENSIP-15); undefined for what can be no name: mixed scripts, invisible characters, … */
export function normalForm(name: string): string | undefined {
  try {
    const normal = normalize(name);
    const isWhole = normal.split(".").every((label) => label !== "" && !/^\[[0-9a-f]{64}\]$/.test(label));
    return isWhole && Buffer.byteLength(normal) <= MAX_NAME_BYTES ? normal : undefined;
  } catch {
    return undefined;
  }
}

function addressIn(answer: string): string | undefined {
  return /^0x0{24}[0-9a-f]{40}$/i.test(answer) ? `0x${answer.slice(26).toLowerCase()}` : undefined;
}

function textIn(answer: string): string | undefined {
  try {
    const [text] = decodeAbiParameters([{ type: "string" }], hexOf(answer));
    return text;
  } catch {
    return undefined;
  }
}

function bytesIn(answer: string): string | undefined {
  try {
    const [bytes] = decodeAbiParameters([{ type: "bytes" }], hexOf(answer));
    return bytes;
  } catch {
    return undefined;
  }
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}
