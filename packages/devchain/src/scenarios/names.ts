import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  labelhash,
  namehash,
  stringToHex,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { normalize } from "viem/ens";
import type { DevAccount } from "../accounts.ts";
import { type Artifact, type ContractName, readArtifact } from "../artifacts.ts";
import type { NodeClient } from "../nodeClient.ts";

/** Contracts by which names are resolved on the development chain; lower-case hex, the same on every machine. */
export interface NameContracts {
  /** A registry as that of ENS (EIP-137). */
  registry: Address;
  /** Its resolver, of names (EIP-137) and addresses (EIP-181). */
  resolver: Address;
  /** Of all names below wild.eth (ENSIP-10). */
  wildcard: Address;
  /** Of offchain.eth and all below, by a gateway (EIP-3668). */
  offchain: Address;
  /** Records of brad.crypto, as the ProxyReader of Unstoppable Domains reads them. */
  reader: Address;
}

/** Who makes the names; its key is public knowledge, as those of the mnemonic are. */
const maker = privateKeyToAccount(keccak256(stringToHex("purse names")));

const made = ["PurseNames", "PurseResolver", "PurseWildcard", "PurseOffchain", "PurseReader"] as const;

export function nameContracts(): NameContracts {
  return {
    registry: addressOf("PurseNames"),
    resolver: addressOf("PurseResolver"),
    wildcard: addressOf("PurseWildcard"),
    offchain: addressOf("PurseOffchain"),
    reader: addressOf("PurseReader"),
  };
}

/**
 * The transactions that make the names, by block and signed: alice.eth is account 1 and bob.eth account 2, with their
 * names in reverse; account 3 says that it is alice.eth too, and account 4 calls itself what no name can be.
 */
export async function nameBlocks(chainId: number, accounts: readonly DevAccount[]): Promise<Hex[][]> {
  const { registry, resolver, wildcard, offchain, reader } = nameContracts();
  const of = (index: number): Address => accounts[index]?.address ?? "0x";
  let nonce = 0;
  const sign = (to: Address | undefined, data: Hex, gas: bigint): Promise<Hex> =>
    maker.signTransaction({
      type: "eip1559",
      chainId,
      nonce: nonce++,
      gas,
      to,
      data,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
  const to = (contract: Address, name: ContractName) => {
    const { abi }: { abi: Abi } = readArtifact(name);
    return (functionName: string, ...args: unknown[]) =>
      sign(contract, encodeFunctionData({ abi, functionName, args }), 200_000n);
  };
  const atRegistry = to(registry, "PurseNames");
  const atResolver = to(resolver, "PurseResolver");
  const atReader = to(reader, "PurseReader");
  const own = (parent: string, label: string, by: Address) => [
    atRegistry(
      "setSubnodeOwner",
      parent === "" ? zeroHash : namehash(parent),
      labelhash(label),
      maker.address,
    ),
    atRegistry("setResolver", namehash(parent === "" ? label : `${label}.${parent}`), by),
  ];
  const reverse = (account: Address, name: string) => {
    const label = account.slice(2).toLowerCase();
    const node = namehash(`${label}.addr.reverse`);
    return [...own("addr.reverse", label, resolver), atResolver("setName", node, name)];
  };
  const creations = made.map((name) => creation(readArtifact(name)));
  return Promise.all([
    Promise.all(creations.map((data) => sign(undefined, data, 2_000_000n))),
    Promise.all([
      ...own("", "eth", resolver),
      ...own("", "reverse", resolver),
      ...own("reverse", "addr", resolver),
      ...own("eth", "alice", resolver),
      ...own("eth", "bob", resolver),
      ...own("eth", "wild", wildcard),
      ...own("eth", "offchain", offchain),
      atResolver("setAddr", namehash("alice.eth"), of(1)),
      atResolver("setAddr", namehash("bob.eth"), of(2)),
    ]),
    Promise.all([
      ...reverse(of(1), "alice.eth"),
      ...reverse(of(2), "bob.eth"),
      ...reverse(of(3), "alice.eth"),
      ...reverse(of(4), "ALICE.eth"),
      atReader("set", "crypto.ETH.address", of(5), BigInt(namehash(normalize("brad.crypto")))),
    ]),
  ]);
}

/** Gives the maker what its transactions burn, without one of anybody's. */
export async function fundNames(node: NodeClient): Promise<void> {
  await node.request({ method: "anvil_setBalance", params: [maker.address, "0xde0b6b3a7640000"] });
}

function creation({ abi, bytecode }: Artifact): Hex {
  return encodeDeployData({ abi, bytecode, args: [] });
}

function addressOf(name: (typeof made)[number]): Address {
  const address = getContractAddress({ from: maker.address, nonce: BigInt(made.indexOf(name)) });
  return `0x${address.slice(2).toLowerCase()}`;
}
