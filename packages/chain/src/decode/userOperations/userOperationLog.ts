import { type AbiParameter, decodeAbiParameters, decodeErrorResult, type Hex, parseAbi } from "viem";
import { EncodedValues } from "../../abi/encodedValues.ts";
import { NULL_ADDRESS, type RawLog } from "../../model/rows.ts";
import { addressOf, isAddressTopic } from "../../model/topics.ts";

/** Topic of `UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)`, which all versions log. */
export const USER_OPERATION_TOPIC = "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f";
/** Topic of `AccountDeployed(bytes32,address,address,address)`. */
const ACCOUNT_DEPLOYED_TOPIC = "0xd51a9c61267aa6196961883ecf5ff2da6619c37dac0fa92122513fb32c032d2d";
/** Topics of `UserOperationRevertReason` and `PostOpRevertReason(bytes32,address,uint256,bytes)`. */
const REVERT_REASON_TOPICS: ReadonlySet<string> = new Set([
  "0x1c4fada7374c0a9ee8841fc38afe82932dc0f8e69012e927f061a8bae611a201",
  "0xf62676f440ff169a3a9afdbf812e89e7f95975ee8e5c31214ffdef631c5f4792",
]);

type EventLog = Pick<RawLog, "position" | "address" | "data"> & { topics: readonly string[] };

/** A user operation as its EntryPoint logged it. Costs are in wei. */
export interface LoggedUserOperation {
  /** Position of the log. */
  position: number;
  entryPoint: string;
  hash: string;
  sender: string;
  /** null if the account paid itself. */
  paymaster: string | null;
  nonce: bigint;
  success: boolean;
  gasCost: bigint;
  gasUsed: bigint;
}

/** Decodes a log of a user operation; undefined for other logs. */
export function decodeUserOperation(log: EventLog): LoggedUserOperation | undefined {
  const { position, address, data } = log;
  const [topic, hash, sender, paymaster] = log.topics;
  if (topic !== USER_OPERATION_TOPIC || !hash || !isAddressTopic(sender) || !isAddressTopic(paymaster))
    return undefined;
  const values = EncodedValues.ofLog(data);
  if (values.words < 4 || values.uint(1) > 1n) return undefined;
  const payer = addressOf(paymaster);
  return {
    position,
    entryPoint: address,
    hash,
    sender: addressOf(sender),
    paymaster: payer === NULL_ADDRESS ? null : payer,
    nonce: values.uint(0),
    success: values.uint(1) === 1n,
    gasCost: values.uint(2),
    gasUsed: values.uint(3),
  };
}

/** What else an EntryPoint logged about a user operation. */
export interface UserOperationEffects {
  /** The contract that created the account in the user operation; null if the account existed. */
  factory: string | null;
  /** Raw data with which the account or the paymaster reverted; null if none was logged. */
  revertReason: string | null;
  /** The text of a reverted `require`. */
  revertMessage: string | null;
}

/** Reads the effects from all logs of the EntryPoint about one user operation. */
export function decodeEffects(logs: readonly EventLog[]): UserOperationEffects {
  const effects: UserOperationEffects = { factory: null, revertReason: null, revertMessage: null };
  for (const { topics, data } of logs) {
    const [topic = ""] = topics;
    if (topic === ACCOUNT_DEPLOYED_TOPIC) {
      const [factory] = decodeData([{ type: "address" }, { type: "address" }], data) ?? [];
      if (typeof factory === "string") effects.factory = factory.toLowerCase();
    } else if (REVERT_REASON_TOPICS.has(topic)) {
      const [, reason] = decodeData([{ type: "uint256" }, { type: "bytes" }], data) ?? [];
      if (typeof reason !== "string") continue;
      effects.revertReason = reason;
      effects.revertMessage = messageOf(`0x${reason.slice(2)}`);
    }
  }
  return effects;
}

const errorAbi = parseAbi(["error Error(string message)"]);

function messageOf(data: Hex): string | null {
  try {
    return decodeErrorResult({ abi: errorAbi, data }).args[0];
  } catch {
    return null;
  }
}

function decodeData(types: readonly AbiParameter[], data: string): readonly unknown[] | undefined {
  try {
    return decodeAbiParameters(types, `0x${data.slice(2)}`);
  } catch {
    return undefined;
  }
}
