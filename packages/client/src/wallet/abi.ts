import { abiItems, abiMutability, abiType, isAbiFunction, isRecord } from "@purse/protocol";
import type { Abi, AbiFunction, AbiParameter } from "viem";

/** A contract's ABI: a list, one entry, or the file of a build tool. Legacy code only types it as an object. */
export type AbiJson = Abi | object;

/** The functions and errors of an ABI. Invalid items are ignored. */
export interface ContractInterface {
  functions: AbiFunction[];
  /** Used to decode reverts. */
  abi: Abi;
}

type AbiErrorItem = Extract<Abi[number], { type: "error" }>;

export function parseAbiJson(json: AbiJson): ContractInterface {
  const namedItems = (abiItems(json) ?? [])
    .filter(isRecord)
    .filter(({ name }) => typeof name === "string" && name !== "");
  const functions = namedItems.filter(isAbiFunction).map(functionOf);
  const errors = namedItems.filter(({ type }) => type === "error").map(errorOf);
  return { functions, abi: [...functions, ...errors] };
}

export function isReadOnly({ stateMutability }: AbiFunction): boolean {
  return stateMutability === "view" || stateMutability === "pure";
}

/** "stock(string,uint256)", with tuples expanded. */
export function signatureOf({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(canonicalType).join(",")})`;
}

/** The components of a tuple type; undefined for other types. */
export function componentsOf(parameter: AbiParameter): readonly AbiParameter[] | undefined {
  return "components" in parameter ? parameter.components : undefined;
}

/** The item type and length (null for any) of an array type; undefined for other types. */
export function itemOf(parameter: AbiParameter): { item: AbiParameter; length: number | null } | undefined {
  const [suffix, length] = /\[(\d*)\]$/.exec(parameter.type) ?? [];
  if (suffix === undefined) return undefined;
  const item = parameterOf({ ...parameter, type: parameter.type.slice(0, -suffix.length) });
  return { item, length: length ? Number(length) : null };
}

/** The parameter without names: viem then decodes tuples as arrays. */
export function withoutNames(parameter: AbiParameter): AbiParameter {
  const components = componentsOf(parameter)?.map(withoutNames);
  return parameterOf({ type: parameter.type, components });
}

function functionOf(json: Record<string, unknown>): AbiFunction {
  return {
    type: "function",
    name: String(json.name),
    inputs: parametersOf(json.inputs),
    outputs: parametersOf(json.outputs),
    stateMutability: abiMutability(json) ?? "nonpayable",
  };
}

function errorOf(json: Record<string, unknown>): AbiErrorItem {
  return { type: "error", name: String(json.name), inputs: parametersOf(json.inputs) };
}

function parametersOf(json: unknown): AbiParameter[] {
  return Array.isArray(json) ? json.filter(isRecord).map(parameterOf) : [];
}

function parameterOf(json: { type?: unknown; name?: unknown; components?: unknown }): AbiParameter {
  const type = abiType(json.type) ?? String(json.type);
  const name = typeof json.name === "string" ? { name: json.name } : {};
  return isTuple(type) ? { type, ...name, components: parametersOf(json.components) } : { type, ...name };
}

function isTuple(type: string): type is "tuple" | `tuple[${string}]` {
  return type === "tuple" || type.startsWith("tuple[");
}

function canonicalType(parameter: AbiParameter): string {
  const components = componentsOf(parameter);
  if (!components) return parameter.type;
  return parameter.type.replace(/^tuple/, `(${components.map(canonicalType).join(",")})`);
}
