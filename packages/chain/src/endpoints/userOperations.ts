import { methodOf } from "@purse/protocol";
import { decodeAccountCalls } from "../decode/userOperations/accountCalls.ts";
import { decodeHandleOps, type SentUserOperation } from "../decode/userOperations/handleOps.ts";
import {
  decodeEffects,
  decodeUserOperation,
  USER_OPERATION_TOPIC,
} from "../decode/userOperations/userOperationLog.ts";
import { invalid, notFound } from "../model/requestErrors.ts";
import { blockOf, indexOf, positionOf, type RawLog } from "../model/rows.ts";
import { entryPointsOf } from "../presets/entryPoints.ts";
import { type ChainContext, requireSynced, type SelectChain, selectFullIndex } from "./chainContext.ts";
import { blockFields, readList } from "./pagination.ts";
import type { Handlers } from "./routes.ts";

/** User operations of smart accounts (ERC-4337), from the logs of the EntryPoint contracts. */
export function userOperationHandlers(selectChain: SelectChain) {
  return {
    getUserOperations: async ({ chain: selector, sender, paymaster, order, ...parameters }) => {
      if (sender === undefined && paymaster === undefined) throw invalid("sender or paymaster is required");
      const chain = await selectFullIndex(selectChain, selector, "user operations");
      const entryPoints = [...entryPointsOf(chain.config).keys()];
      const { rows, blocks, page } = await readList(
        chain,
        parameters,
        (window) => chain.store.userOperations.list(entryPoints, { sender, paymaster }, window),
        order === "asc",
      );
      const serialize = await loadSerializer(chain, rows);
      return page(rows.flatMap((log) => serialize(log, blocks) ?? []));
    },
    getUserOperation: async ({ chain: selector, user_op_hash: hash }) => {
      const chain = await selectFullIndex(selectChain, selector, "user operations");
      const entryPoints = [...entryPointsOf(chain.config).keys()];
      const logs = await chain.store.userOperations.logsOf(entryPoints, [hash]);
      const log = logs.get(hash)?.find(({ topics: [topic] }) => topic === USER_OPERATION_TOPIC);
      if (!log) requireSynced(chain);
      const serialize = await loadSerializer(chain, log ? [log] : []);
      const found = log && serialize(log, await chain.store.blocks([blockOf(log.position)]));
      if (!found) throw notFound(`chain "${chain.config.name}" has no user operation ${hash}`);
      return found;
    },
  } satisfies Partial<Handlers>;
}

/** Loads the transactions and other logs of user operations, and creates a function that serializes one. */
async function loadSerializer(chain: ChainContext, rows: readonly RawLog[]) {
  const entryPoints = entryPointsOf(chain.config);
  const transactionOf = (log: RawLog) => positionOf(blockOf(log.position), log.transactionIndex);
  const hashes = rows.flatMap(({ topics }) => topics[1] ?? []);
  const [transactions, related] = await Promise.all([
    chain.store.transactionsAt([...new Set(rows.map(transactionOf))]),
    chain.store.userOperations.effectsOf([...entryPoints.keys()], hashes),
  ]);
  const sent = new Map<number, SentUserOperation[]>();
  for (const [position, { to, input }] of transactions) {
    const entryPoint = to === null ? undefined : entryPoints.get(to);
    if (entryPoint) sent.set(position, decodeHandleOps(input, entryPoint.version));
  }
  return (log: RawLog, blocks: Parameters<typeof blockFields>[0]) => {
    const logged = decodeUserOperation(log);
    if (!logged) return undefined;
    const position = transactionOf(log);
    const transaction = transactions.get(position);
    const own = (related.get(logged.hash) ?? []).filter((each) => transactionOf(each) === position);
    const { factory, revertReason, revertMessage } = decodeEffects(own);
    const isDirect = transaction?.to === logged.entryPoint;
    const operation = isDirect
      ? sent.get(position)?.find(({ sender, nonce }) => sender === logged.sender && nonce === logged.nonce)
      : undefined;
    return {
      user_op_hash: logged.hash,
      entry_point: logged.entryPoint,
      entry_point_version: entryPoints.get(logged.entryPoint)?.version ?? "",
      sender: logged.sender,
      paymaster: logged.paymaster,
      nonce: logged.nonce.toString(),
      success: logged.success,
      actual_gas_cost: logged.gasCost.toString(),
      actual_gas_used: logged.gasUsed.toString(),
      revert_reason: revertReason,
      revert_message: revertMessage,
      factory,
      bundler: transaction?.from ?? null,
      operation: operation ? operationToJson(operation) : null,
      transaction_hash: log.transactionHash,
      transaction_index: String(log.transactionIndex),
      log_index: indexOf(log.position),
      ...blockFields(blocks, log.position),
    };
  };
}

function operationToJson(operation: SentUserOperation) {
  const calls = decodeAccountCalls(operation.callData);
  return {
    init_code: operation.initCode,
    call_data: operation.callData,
    method_label: methodOf(operation.callData) ?? null,
    calls:
      calls?.map(({ to, value, data }) => ({
        to_address: to,
        value: value.toString(),
        data,
        method_label: methodOf(data) ?? null,
      })) ?? null,
    call_gas_limit: operation.callGasLimit.toString(),
    verification_gas_limit: operation.verificationGasLimit.toString(),
    pre_verification_gas: operation.preVerificationGas.toString(),
    max_fee_per_gas: operation.maxFeePerGas.toString(),
    max_priority_fee_per_gas: operation.maxPriorityFeePerGas.toString(),
    paymaster_and_data: operation.paymasterAndData,
    signature: operation.signature,
    aggregator: operation.aggregator,
    beneficiary: operation.beneficiary,
  };
}
