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
import type { DevAccount } from "../accounts.ts";
import { type Artifact, type ContractName, readArtifact } from "../artifacts.ts";
import type { NodeClient } from "../nodeClient.ts";

/** Contracts for name resolution on the development chain; lower-case hex, the same on every machine. */
export interface NameContracts {
  /** An ENS-like registry (EIP-137). */
  registry: Address;
  /** Its resolver for names (EIP-137) and addresses (EIP-181). */
  resolver: Address;
  /** Wildcard resolver of all names below wild.eth (ENSIP-10). */
  wildcard: Address;
  /** Resolver of offchain.eth and its subnames through a gateway (EIP-3668). */
  offchain: Address;
  /** Records of brad.crypto in the format of Unstoppable Domains' ProxyReader. */
  reader: Address;
}

/** The deployer of the names: the account of `deployerKey`, whose derivation a start does not wait for. */
const DEPLOYER: Address = "0x5a0C51Fb5A35a8ED80369Cb0D63611d7191F20d3";

/** The deployer's key is public, like those of the mnemonic. */
const deployerKey = (): Hex => keccak256(stringToHex("purse names"));

const deployedContracts = [
  "PurseNames",
  "PurseResolver",
  "PurseWildcard",
  "PurseOffchain",
  "PurseReader",
] as const;

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
 * The signed transactions by block: alice.eth is account 1 and bob.eth account 2, with reverse records; account 3
 * also claims alice.eth, and account 4 claims an invalid name.
 */
export async function nameBlocks(chainId: number, accounts: readonly DevAccount[]): Promise<Hex[][]> {
  const { registry, resolver, wildcard, offchain, reader } = nameContracts();
  const of = (index: number): Address => accounts[index]?.address ?? "0x";
  const deployer = privateKeyToAccount(deployerKey());
  let nonce = 0;
  const sign = (to: Address | undefined, data: Hex, gas: bigint): Promise<Hex> =>
    deployer.signTransaction({
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
  const registerName = (parent: string, label: string, by: Address) => [
    atRegistry(
      "setSubnodeOwner",
      parent === "" ? zeroHash : namehash(parent),
      labelhash(label),
      deployer.address,
    ),
    atRegistry("setResolver", namehash(parent === "" ? label : `${label}.${parent}`), by),
  ];
  const reverse = (account: Address, name: string) => {
    const label = account.slice(2).toLowerCase();
    const node = namehash(`${label}.addr.reverse`);
    return [...registerName("addr.reverse", label, resolver), atResolver("setName", node, name)];
  };
  const creations = deployedContracts.map((name) => creation(readArtifact(name)));
  return Promise.all([
    Promise.all(creations.map((data) => sign(undefined, data, 2_000_000n))),
    Promise.all([
      ...registerName("", "eth", resolver),
      ...registerName("", "reverse", resolver),
      ...registerName("reverse", "addr", resolver),
      ...registerName("eth", "alice", resolver),
      ...registerName("eth", "bob", resolver),
      ...registerName("eth", "wild", wildcard),
      ...registerName("eth", "offchain", offchain),
      atResolver("setAddr", namehash("alice.eth"), of(1)),
      atResolver("setAddr", namehash("bob.eth"), of(2)),
    ]),
    Promise.all([
      ...reverse(of(1), "alice.eth"),
      ...reverse(of(2), "bob.eth"),
      ...reverse(of(3), "alice.eth"),
      ...reverse(of(4), "ALICE.eth"),
      atReader("set", "crypto.ETH.address", of(5), BigInt(namehash("brad.crypto"))),
    ]),
  ]);
}

/** Funds the deployer without a transaction of another account. */
export async function fundNames(node: NodeClient): Promise<void> {
  await node.request({ method: "anvil_setBalance", params: [DEPLOYER, "0xde0b6b3a7640000"] });
}

function creation({ abi, bytecode }: Artifact): Hex {
  return encodeDeployData({ abi, bytecode, args: [] });
}

function addressOf(name: (typeof deployedContracts)[number]): Address {
  const address = getContractAddress({
    from: DEPLOYER,
    nonce: BigInt(deployedContracts.indexOf(name)),
  });
  return `0x${address.slice(2).toLowerCase()}`;
}
