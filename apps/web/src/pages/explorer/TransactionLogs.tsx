import type { Erc20Metadata, TransactionLog } from "@purse/client";
import { Code, EmptyState, Switch, useTranslation } from "@purse/ui";
import { useMemo, useState } from "react";
import type { Abi } from "viem";
import { decodeLog } from "./abi/decode.ts";
import { ownAbi } from "./abi/ownAbi.ts";
import { DecodedValues } from "./DecodedValues.tsx";
import { useTokens } from "./dataQueries.ts";
import { AddressLink } from "./EntityLinks.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { topicsOf } from "./flows.ts";

/** Maximum number of logs shown. */
const MAX_LOGS = 200;

export function TransactionLogs({ logs }: { logs: readonly TransactionLog[] }) {
  const { t } = useTranslation();
  const [isRaw, setIsRaw] = useState(false);
  const { hexId } = useExplorer().chain;
  const abis = useMemo(() => {
    const addresses = [...new Set(logs.slice(0, MAX_LOGS).map(({ address }) => address))];
    return new Map(addresses.map((address) => [address, ownAbi(hexId, address)]));
  }, [logs, hexId]);
  const tokens = useTokens(logs.slice(0, MAX_LOGS).map(({ address }) => address));
  if (logs.length === 0) {
    return (
      <div className="card">
        <EmptyState title={t("No logs")}>{t("This transaction emitted no logs.")}</EmptyState>
      </div>
    );
  }
  return (
    <section className="card stack" aria-label={t("Logs")}>
      <Switch label={t("Show raw data")} checked={isRaw} onChange={setIsRaw} />
      <ol className="list logs">
        {logs.slice(0, MAX_LOGS).map((log) => (
          <LogEntry
            key={log.log_index}
            log={log}
            abi={abis.get(log.address)}
            token={tokens.known.get(log.address)}
            isRaw={isRaw}
          />
        ))}
      </ol>
      {logs.length > MAX_LOGS && (
        <p className="soft">
          {t("{n, plural, one {# more log not shown} other {# more logs not shown}}", {
            n: logs.length - MAX_LOGS,
          })}
        </p>
      )}
    </section>
  );
}

interface LogEntryProps {
  log: TransactionLog;
  abi: Abi | undefined;
  token: Erc20Metadata | undefined;
  isRaw: boolean;
}

function LogEntry({ log, abi, token, isRaw }: LogEntryProps) {
  const { t } = useTranslation();
  const topics = topicsOf(log);
  const decoded = isRaw ? undefined : decodeLog({ data: log.data, topics }, abi);
  return (
    <li className="stack tight">
      <p className="row">
        <span className="chip number">{log.log_index}</span>
        <AddressLink address={log.address} />
        {decoded && <strong className="mono">{decoded.name}</strong>}
      </p>
      {decoded ? (
        <DecodedValues values={decoded.values} token={token} />
      ) : (
        <>
          <ol className="topics">
            {topics.map((topic, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: topics are identified by position.
              <li key={i} className="row tight-row">
                <span className="soft small">{t("Topic {n, number}", { n: i })}</span>
                <span className="address">{topic}</span>
              </li>
            ))}
          </ol>
          {log.data !== "0x" && <Code text={log.data.slice(0, 20_000)} label={t("Data")} wrap />}
        </>
      )}
    </li>
  );
}
