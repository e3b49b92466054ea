import { type Abi, parseAbi } from "viem";
import { toFunctionSelector } from "viem/utils";
import { signatureOf } from "./abi.ts";
import { KNOWN_EVENTS, KNOWN_FUNCTIONS } from "./knownFunctions.ts";

const PUSH1 = 0x60;
const PUSH4 = 0x63;
const PUSH32 = 0x7f;

/** All 4-byte constants in the code, which include the selectors of its functions. */
export function selectorsIn(code: string): ReadonlySet<string> {
  const bytes = /^0x([0-9a-f]{2})*$/i.test(code) ? code.slice(2).toLowerCase() : "";
  const found = new Set<string>();
  for (let at = 0; at < bytes.length; ) {
    const opcode = Number.parseInt(bytes.slice(at, at + 2), 16);
    at += 2;
    if (opcode === PUSH4) found.add(`0x${bytes.slice(at, at + 8)}`);
    if (opcode >= PUSH1 && opcode <= PUSH32) at += 2 * (opcode - PUSH1 + 1);
  }
  return found;
}

/** The known functions in the code, with the known events; undefined if there are none. */
export function detectAbi(code: string): Abi | undefined {
  const selectors = selectorsIn(code);
  const known: Abi = parseAbi(KNOWN_FUNCTIONS);
  const functions = known.filter(
    (item) => item.type === "function" && selectors.has(toFunctionSelector(item)),
  );
  if (functions.length === 0) return undefined;
  const events: Abi = parseAbi(KNOWN_EVENTS);
  return [...functions, ...events];
}

/** Merges two ABIs; functions with the same signature are duplicates. */
export function mergeAbis(abi: Abi, more: Abi): Abi {
  const keyOf = (item: Abi[number]) => {
    if (item.type === "function") return signatureOf(item);
    return item.type === "event" ? `event ${item.name}/${item.inputs.length}` : "";
  };
  const taken = new Set(abi.map(keyOf));
  return [...abi, ...more.filter((item) => !taken.has(keyOf(item)))];
}
