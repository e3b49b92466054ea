import { EncodedValues } from "../../abi/encodedValues.ts";

/** A call that a smart account makes. */
export interface AccountCall {
  to: string;
  /** wei */
  value: bigint;
  data: string;
}

/** By the selectors of `execute` and of `executeBatch` of SimpleAccount for EntryPoint 0.6, 0.7 and 0.8. */
const DECODERS: ReadonlyMap<string, (data: EncodedValues) => AccountCall[]> = new Map([
  // execute(address,uint256,bytes)
  ["0xb61d27f6", (data: EncodedValues) => [decodeCall(data)]],
  // executeBatch(address[],bytes[])
  ["0x18dfb3c7", (data: EncodedValues) => decodeBatch(data, 1)],
  // executeBatch(address[],uint256[],bytes[])
  ["0x47e1da2a", (data: EncodedValues) => decodeBatch(data, 2, 1)],
  // executeBatch((address,uint256,bytes)[])
  ["0x34fcd5be", (data: EncodedValues) => data.tuples(0).map(decodeCall)],
]);

/**
 * The calls in the call data of a user operation, if the account has the functions `execute` and `executeBatch` of the
 * reference implementation; undefined for others.
 */
export function decodeAccountCalls(callData: string): AccountCall[] | undefined {
  const decode = DECODERS.get(callData.slice(0, 10));
  try {
    return decode?.(EncodedValues.ofInput(callData));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function decodeCall(call: EncodedValues): AccountCall {
  return { to: call.address(0), value: call.uint(1), data: call.bytes(2) };
}

/** Lists of targets, of inputs and of values, by their indexes. */
function decodeBatch(data: EncodedValues, inputIndex: number, valueIndex?: number): AccountCall[] {
  const targets = data.array(0);
  const inputs = data.array(inputIndex);
  const values = valueIndex === undefined ? undefined : data.array(valueIndex);
  return Array.from({ length: targets.length }, (_, i) => ({
    to: targets.elements.address(i),
    // An empty list of values stands for zeros.
    value: values && i < values.length ? values.elements.uint(i) : 0n,
    data: i < inputs.length ? inputs.elements.bytes(i) : "0x",
  }));
}
