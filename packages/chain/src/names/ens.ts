import { normalEnsName, primaryEnsName } from "@purse/protocol";
import { decodeAbiParameters, encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from "viem";
import { namehash, normalize, packetToBytes } from "viem/ens";
import { asHex } from "../model/hexBytes.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { callContract, createViemClient } from "../node/viemClient.ts";
import { type CallGateway, createGatewayRequest } from "./gateways.ts";

const REGISTRY = parseAbi(["function resolver(bytes32 node) view returns (address)"]);
const RESOLVER = parseAbi([
  "function addr(bytes32 node) view returns (address)",
  "function name(bytes32 node) view returns (string)",
  "function resolve(bytes name, bytes data) view returns (bytes)",
  "function supportsInterface(bytes4 id) view returns (bool)",
]);
/** Interface id of a wildcard resolver (ENSIP-10). */
const EXTENDED_RESOLVER_INTERFACE = "0x9061b923";
const MAX_LABELS = 32;

/** Resolves names of an ENS registry (EIP-137) on one chain. */
export class Ens {
  readonly #node: ChainNode;
  readonly #registry: string;
  readonly #callGateway: CallGateway | undefined;

  /** Without `callGateway`, names that are resolved off-chain have no address. */
  constructor(node: ChainNode, registry: string, callGateway: CallGateway | undefined) {
    this.#node = node;
    this.#registry = registry;
    this.#callGateway = callGateway;
  }

  /** The address of a normalized name in lower-case hex; undefined if it has none. */
  async addressOf(name: string): Promise<string | undefined> {
    const node = namehash(name);
    const data = encodeFunctionData({ abi: RESOLVER, functionName: "addr", args: [node] });
    const answer = await this.#resolve(name, data);
    const address = answer && decodeAddress(answer);
    return address === zeroAddress ? undefined : address;
  }

  /** The primary name of an address, if the name resolves to the address (ENSIP-3). */
  async nameOf(address: string): Promise<string | undefined> {
    const reverse = `${address.slice(2)}.addr.reverse`;
    const data = encodeFunctionData({ abi: RESOLVER, functionName: "name", args: [namehash(reverse)] });
    const answer = await this.#resolve(reverse, data);
    const recorded = answer && decodeValue("string", answer);
    return primaryEnsName(address, recorded, normalize, (name) => this.addressOf(name));
  }

  /** Calls the resolver of a name, or the wildcard resolver of its nearest parent (ENSIP-10). */
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
    const resolvers = found.map((answer) => (answer ? decodeAddress(answer) : undefined));
    const at = resolvers.findIndex((each) => each !== undefined && each !== zeroAddress);
    const resolver = resolvers[at];
    if (!resolver) return undefined;
    const isExtendedResolver = await this.#isExtendedResolver(resolver);
    if (!isExtendedResolver) {
      // Other resolvers do not resolve subnames.
      return at === 0 ? this.#call(resolver, data) : undefined;
    }
    const resolveCall = encodeFunctionData({
      abi: RESOLVER,
      functionName: "resolve",
      args: [toHex(packetToBytes(name)), data],
    });
    const answer = await this.#call(resolver, resolveCall);
    return answer && decodeValue("bytes", answer);
  }

  /** Calls a resolver, which may refer to gateways (EIP-3668); undefined if it fails or no gateway responds. */
  #call(resolver: string, data: Hex): Promise<Hex | undefined> {
    const callGateway = this.#callGateway;
    const ccipRead = callGateway ? { request: createGatewayRequest(callGateway) } : false;
    return callContract(createViemClient(this.#node, { ccipRead }), { to: asHex(resolver), data });
  }

  async #isExtendedResolver(resolver: string): Promise<boolean> {
    const data = encodeFunctionData({
      abi: RESOLVER,
      functionName: "supportsInterface",
      args: [EXTENDED_RESOLVER_INTERFACE],
    });
    const [answer] = await this.#node.readContracts([{ to: resolver, data }], "latest");
    return answer !== undefined && /^0x0{63}1$/.test(answer);
  }
}

/** Normalizes a name (ENSIP-15); undefined for invalid names. */
export function normalForm(name: string): string | undefined {
  return normalEnsName(name, normalize);
}

function decodeAddress(answer: string): string | undefined {
  return /^0x0{24}[0-9a-f]{40}$/i.test(answer) ? `0x${answer.slice(26).toLowerCase()}` : undefined;
}

function decodeValue(type: "string" | "bytes", answer: string): string | undefined {
  try {
    const [value] = decodeAbiParameters([{ type }], asHex(answer));
    return value;
  } catch {
    return undefined;
  }
}
