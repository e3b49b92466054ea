import type { TransactionReceipt } from "@purse/client";
import { Address, useTranslation } from "@purse/ui";
import type { Abi, AbiEvent, Hex } from "viem";
import { decodeEventLog } from "viem/utils";
import { DecodedList } from "./DecodedValue.tsx";

/** The logs of a transaction, decoded if the ABI has the event. */
export function Events({ abi, receipt }: { abi: Abi; receipt: TransactionReceipt }) {
  const { t } = useTranslation();
  if (receipt.logs.length === 0) return <p className="soft">{t("No events were emitted.")}</p>;
  return (
    <section className="stack" aria-labelledby="events">
      <h3 id="events">{t("Events")}</h3>
      <ol className="list">
        {receipt.logs.map((log) => {
          const decoded = decode(abi, log);
          return (
            <li key={log.logIndex} className="stack tight">
              <span className="row">
                <strong>{decoded?.event.name ?? t("Unknown event")}</strong>
                <Address address={log.address} short />
              </span>
              {decoded ? (
                <DecodedList parameters={decoded.event.inputs} values={decoded.values} />
              ) : (
                <code className="small exact">{[...log.topics, log.data].join(" ")}</code>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function decode(
  abi: Abi,
  { topics, data }: TransactionReceipt["logs"][number],
): { event: AbiEvent; values: unknown[] } | undefined {
  const [first, ...rest] = topics.map(hexOf);
  if (first === undefined) return undefined;
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: [first, ...rest], data: hexOf(data) });
    const event = abi.find((item) => item.type === "event" && item.name === eventName);
    if (event?.type !== "event") return undefined;
    const values = event.inputs.map(({ name }, i) =>
      Array.isArray(args) ? args[i] : Reflect.get(Object(args), name ?? ""),
    );
    return { event, values };
  } catch {
    // An event of another contract, or an incompatible one.
    return undefined;
  }
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}
