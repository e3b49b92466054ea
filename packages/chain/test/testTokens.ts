import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseAbi, zeroAddress } from "viem";
import type { TestChain } from "./testChain.ts";

/** Test support for tokens without the Transfer events of EIP-20 and EIP-721: contracts and their calls. */

export const tokenAbi = parseAbi([
  "constructor(address[] owners, uint96[] counts)",
  "event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)",
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function make(bytes32[] topics, bytes content)",
  "function transferFrom(address from, address to, uint256 id)",
  "function transfer(address to, uint256 amount)",
  "function burn(uint256 id)",
  "function ownerOf(uint256 id) view returns (address)",
  "function balanceOf(address owner) view returns (uint256)",
  "function deposit() payable",
  "function withdraw(uint256 amount)",
]);

/** Creation code of a contract of @purse/devchain, which only tests may import. */
export function bytecodeOf(name: "LogEmitter" | "PurseSeries"): Hex {
  const file = new URL(`../../devchain/artifacts/${name}.json`, import.meta.url);
  const { bytecode }: { bytecode: Hex } = JSON.parse(readFileSync(file, "utf8"));
  return bytecode;
}

/** WETH9 as on Ethereum: it logs Deposit and Withdrawal without Transfer. */
export async function newWeth(chain: TestChain): Promise<Address> {
  const path = createRequire(import.meta.url).resolve("@uniswap/v2-periphery/build/WETH9.json");
  const { bytecode }: { bytecode: string } = JSON.parse(readFileSync(path, "utf8"));
  return (await chain.create(`0x${bytecode.replace(/^0x/, "")}`)).contractAddress ?? zeroAddress;
}

/** A collection that is minted with one log per owner (ERC-2309). */
export async function newSeries(
  chain: TestChain,
  owners: readonly (readonly [account: number, count: number])[],
): Promise<Address> {
  const args = [
    owners.map(([account]) => chain.account(account)),
    owners.map(([, count]) => BigInt(count)),
  ] as const;
  const data = encodeDeployData({ abi: tokenAbi, bytecode: bytecodeOf("PurseSeries"), args });
  return (await chain.create(data)).contractAddress ?? zeroAddress;
}

/** A contract that emits arbitrary logs. */
export async function newLogEmitter(chain: TestChain): Promise<Address> {
  return (await chain.create(bytecodeOf("LogEmitter"))).contractAddress ?? zeroAddress;
}

export function moveToken(chain: TestChain, token: Address, from: number, to: number, id: bigint) {
  const args = [chain.account(from), chain.account(to), id] as const;
  return chain.send(from, token, encodeFunctionData({ abi: tokenAbi, functionName: "transferFrom", args }));
}

export const wrap = (chain: TestChain, weth: Address, account: number, amount: bigint) =>
  chain.send(account, weth, encodeFunctionData({ abi: tokenAbi, functionName: "deposit" }), amount);

export const unwrap = (chain: TestChain, weth: Address, account: number, amount: bigint) =>
  chain.send(account, weth, encodeFunctionData({ abi: tokenAbi, functionName: "withdraw", args: [amount] }));
