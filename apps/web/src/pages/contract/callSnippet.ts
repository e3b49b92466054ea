import type { AbiFunction } from "viem";
import { signatureOf } from "./abi.ts";

export interface SnippetCall {
  item: AbiFunction;
  address: string;
  args: readonly unknown[];
  /** Wei. */
  value: bigint;
}

/** A code snippet of the call for Purse's client or viem. */
export function callSnippet(library: "purse" | "viem", { item, address, args, value }: SnippetCall): string {
  const isRead = item.stateMutability === "view" || item.stateMutability === "pure";
  const abi = JSON.stringify([item]);
  const list = `[${args.map(literal).join(", ")}]`;
  if (library === "purse") {
    const params = item.inputs.map(({ name }, i) => `${JSON.stringify(name || i)}: ${literal(args[i])}`);
    return [
      'import { Moralis } from "@purse/client";',
      "",
      "await Moralis.enableWeb3();",
      `const result = await Moralis.executeFunction({`,
      `  contractAddress: ${literal(address)},`,
      `  functionName: ${literal(signatureOf(item))},`,
      `  abi: ${abi},`,
      `  params: { ${params.join(", ")} },`,
      ...(value > 0n ? [`  msgValue: ${literal(value)},`] : []),
      "});",
    ].join("\n");
  }
  const call = [
    `  address: ${literal(address)},`,
    `  abi: ${abi},`,
    `  functionName: ${literal(item.name)},`,
    `  args: ${list},`,
  ];
  return isRead
    ? [
        'import { createPublicClient, http } from "viem";',
        "",
        "const client = createPublicClient({ transport: http(rpcUrl) });",
        "const result = await client.readContract({",
        ...call,
        "});",
      ].join("\n")
    : [
        'import { createWalletClient, custom } from "viem";',
        "",
        "const client = createWalletClient({ transport: custom(window.ethereum) });",
        "const [account] = await client.requestAddresses();",
        "const hash = await client.writeContract({",
        "  account,",
        "  chain: null,",
        ...call,
        ...(value > 0n ? [`  value: ${literal(value)},`] : []),
        "});",
      ].join("\n");
}

function literal(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${literal(each)}`);
    return `{ ${fields.join(", ")} }`;
  }
  return JSON.stringify(value) ?? "undefined";
}
