import { NULL_ADDRESS, type RawLog } from "../model/rows.ts";
import {
  addressTopic,
  DEPOSIT_TOPIC,
  isAddressTopic,
  TRANSFER_TOPIC,
  WITHDRAWAL_TOPIC,
} from "../model/topics.ts";

const NULL_TOPIC = addressTopic(NULL_ADDRESS);

/**
 * Returns the logs that mint and burn the wrapped native coin. WETH9 logs `Deposit` and `Withdrawal` without
 * `Transfer`. If a contract logs both, with one transfer from or to the null address for each, only the transfers are
 * counted.
 */
export function wrappedTransfers(
  logs: readonly RawLog[],
  wrappedNative: string | undefined,
): ReadonlySet<RawLog> {
  if (wrappedNative === undefined) return new Set();
  const contractLogs = logs.filter(({ address }) => address === wrappedNative);
  const changes = contractLogs.filter(isChange);
  if (changes.length === 0) return new Set(changes);
  const transfers = Map.groupBy(
    contractLogs.filter(({ topics: [topic] }) => topic === TRANSFER_TOPIC),
    ({ transactionHash, topics, data }) => `${transactionHash} ${topics[1]} ${topics[2]} ${data}`,
  );
  return new Set(
    changes.filter(({ transactionHash, topics, data }) => {
      const [topic, account] = topics;
      const parties = topic === DEPOSIT_TOPIC ? `${NULL_TOPIC} ${account}` : `${account} ${NULL_TOPIC}`;
      return transfers.get(`${transactionHash} ${parties} ${data}`)?.pop() === undefined;
    }),
  );
}

/** One indexed address and one word of data. */
function isChange({ topics, data }: RawLog): boolean {
  return (
    topics.length === 2 &&
    (topics[0] === DEPOSIT_TOPIC || topics[0] === WITHDRAWAL_TOPIC) &&
    isAddressTopic(topics[1]) &&
    data.length === 66
  );
}
