import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Abi,
  type Address,
  concatHex,
  createPublicClient,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { EntryPoint } from "../src/model/chainConfig.ts";
import type { TestChain } from "./testChain.ts";

/** Test support: the EntryPoint contracts and smart accounts of the ERC-4337 authors. */

/** What a user operation of a test differs in. */
export interface OperationOptions {
  callData: Hex;
  /** Whether to create the account. */
  isFirst?: boolean;
  paymaster?: Paymaster;
  /** The user operation after another one of the same transaction. */
  nonceOffset?: bigint;
}

export interface Paymaster {
  address: Address;
  signer: Hex;
}

export interface SignedOperation {
  operation: Record<string, unknown>;
  hash: Hex;
}

const callGasLimit = 300_000n;
const verificationGasLimit = 1_000_000n;
const preVerificationGas = 60_000n;
const maxFeePerGas = 3_000_000_000n;
const maxPriorityFeePerGas = 1_000_000_000n;
const paymasterGasLimit = 100_000n;

/** Gas and fees of all user operations, as the data API returns them. */
export const OPERATION_GAS = {
  call_gas_limit: String(callGasLimit),
  verification_gas_limit: String(verificationGasLimit),
  pre_verification_gas: String(preVerificationGas),
  max_fee_per_gas: String(maxFeePerGas),
  max_priority_fee_per_gas: String(maxPriorityFeePerGas),
};

const factoryAbi = parseAbi([
  "function createAccount(address owner, uint256 salt)",
  "function getAddress(address owner, uint256 salt) view returns (address)",
]);
const paymasterAbi = parseAbi([
  "constructor(address entryPoint, address signer)",
  "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
  "function getHash(Operation operation, uint48 validUntil, uint48 validAfter) view returns (bytes32)",
]);

/** An EntryPoint with a factory of accounts and the account of an owner, which has a deposit. */
export class TestEntryPoint {
  readonly version: EntryPoint["version"];
  readonly address: Address;
  readonly factory: Address;
  readonly sender: Address;
  readonly #chain: TestChain;
  readonly #abi: Abi;
  readonly #owner: Hex;

  private constructor(
    chain: TestChain,
    version: EntryPoint["version"],
    contracts: { address: Address; factory: Address; sender: Address; abi: Abi; owner: Hex },
  ) {
    this.#chain = chain;
    this.version = version;
    this.address = contracts.address;
    this.factory = contracts.factory;
    this.sender = contracts.sender;
    this.#abi = contracts.abi;
    this.#owner = contracts.owner;
  }

  /** Deploys the contracts; `owner` is the private key of the owner of the account. */
  static async deploy(chain: TestChain, version: EntryPoint["version"], owner: Hex): Promise<TestEntryPoint> {
    const { abi, bytecode } = artifactOf(version, "EntryPoint");
    const address = (await chain.create(bytecode)).contractAddress ?? zeroAddress;
    const factoryArtifact = artifactOf(version, "SimpleAccountFactory");
    const code = encodeDeployData({ ...factoryArtifact, args: [address] });
    const factory = (await chain.create(code)).contractAddress ?? zeroAddress;
    const sender = await clientOf(chain).readContract({
      address: factory,
      abi: factoryAbi,
      functionName: "getAddress",
      args: [privateKeyToAccount(owner).address, 7n],
    });
    const deposit = encodeFunctionData({ abi, functionName: "depositTo", args: [sender] });
    await chain.send(0, address, deposit, 10n ** 18n);
    return new TestEntryPoint(chain, version, { address, factory, sender, abi, owner });
  }

  /** Deploys a paymaster of version 0.7 that pays for what the signer signs. */
  async deployPaymaster(signer: Hex): Promise<Paymaster> {
    const { bytecode } = artifactOf(this.version, "VerifyingPaymaster");
    const args = [this.address, privateKeyToAccount(signer).address] as const;
    const code = encodeDeployData({ abi: paymasterAbi, bytecode, args });
    const address = (await this.#chain.create(code)).contractAddress ?? zeroAddress;
    const deposit = encodeFunctionData({ abi: this.#abi, functionName: "depositTo", args: [address] });
    await this.#chain.send(0, this.address, deposit, 10n ** 18n);
    return { address, signer };
  }

  /** Creates and signs a user operation; its hash is that of the EntryPoint. */
  async sign({ callData, isFirst, paymaster, nonceOffset = 0n }: OperationOptions): Promise<SignedOperation> {
    const client = clientOf(this.#chain);
    const owner = privateKeyToAccount(this.#owner);
    const nonce = BigInt(String(await this.#read("getNonce", [this.sender, 0n]))) + nonceOffset;
    const create = encodeFunctionData({
      abi: factoryAbi,
      functionName: "createAccount",
      args: [owner.address, 7n],
    });
    const initCode: Hex = isFirst ? concatHex([this.factory, create]) : "0x";
    const common = {
      sender: this.sender,
      nonce,
      initCode,
      callData,
      preVerificationGas,
      signature: "0x",
    } as const;
    const packed = {
      ...common,
      accountGasLimits: packHalves(verificationGasLimit, callGasLimit),
      gasFees: packHalves(maxPriorityFeePerGas, maxFeePerGas),
      paymasterAndData: "0x" as Hex,
    };
    if (paymaster) {
      const limits = packHalves(paymasterGasLimit, paymasterGasLimit);
      const validity = encodeAbiParameters([{ type: "uint48" }, { type: "uint48" }], [0, 0]);
      packed.paymasterAndData = concatHex([paymaster.address, limits, validity]);
      const toSign = await client.readContract({
        address: paymaster.address,
        abi: paymasterAbi,
        functionName: "getHash",
        args: [packed, 0, 0],
      });
      const signature = await privateKeyToAccount(paymaster.signer).signMessage({ message: { raw: toSign } });
      packed.paymasterAndData = concatHex([packed.paymasterAndData, signature]);
    }
    const plain = {
      ...common,
      callGasLimit,
      verificationGasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas,
      paymasterAndData: "0x",
    };
    const operation = this.version === "0.6" ? plain : packed;
    const hash: Hex = `0x${String(await this.#read("getUserOpHash", [operation])).slice(2)}`;
    // Since 0.8, the hash is one of typed data (EIP-712).
    const signature =
      this.version === "0.8"
        ? await owner.sign({ hash })
        : await owner.signMessage({ message: { raw: hash } });
    return { operation: { ...operation, signature }, hash };
  }

  /** The input of a transaction with user operations. */
  encode(operations: readonly SignedOperation[], beneficiary: Address): Hex {
    const args = [operations.map(({ operation }) => operation), beneficiary];
    return encodeFunctionData({ abi: this.#abi, functionName: "handleOps", args });
  }

  #read(functionName: string, args: readonly unknown[]): Promise<unknown> {
    return clientOf(this.#chain).readContract({ address: this.address, abi: this.#abi, functionName, args });
  }
}

const clientOf = (chain: TestChain) => createPublicClient({ transport: http(chain.url), cacheTime: 0 });

function packHalves(high: bigint, low: bigint): Hex {
  return concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);
}

function artifactOf(version: EntryPoint["version"], name: string): { abi: Abi; bytecode: Hex } {
  const path = createRequire(import.meta.url).resolve(
    `account-abstraction-${version}/artifacts/${name}.json`,
  );
  const { abi, bytecode }: { abi: Abi; bytecode: Hex } = JSON.parse(readFileSync(path, "utf8"));
  return { abi, bytecode };
}
