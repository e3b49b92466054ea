import {
  Button,
  formatDuration,
  formatNumber,
  RelativeTime,
  Skeleton,
  Status,
  useTranslation,
} from "@purse/ui";
import { useSettings } from "../../SettingsContext.tsx";
import { chainName } from "../../settings.ts";
import { ChainStatus } from "./ChainStatus.tsx";
import { type ChainState, type ServerStatus, useServerStatus } from "./useServerStatus.ts";

/** The status of the server and its chains, updated regularly. */
export function ServerState() {
  const { t } = useTranslation();
  const status = useServerStatus();
  return (
    <section className="card stack tight server-state" aria-labelledby="server-state">
      <div className="row spread">
        <h2 id="server-state">{t("This server")}</h2>
        {status.state === "connecting" && <Status kind="busy">{t("Connecting")}</Status>}
        {status.state === "online" && <Status kind="ok">{t("Running")}</Status>}
        {status.state === "unreachable" && <Status kind="danger">{t("Unreachable")}</Status>}
      </div>
      {status.state === "connecting" && <Skeleton height="4.6rem" />}
      {status.state === "unreachable" && (
        <div className="row spread">
          <p className="soft">
            {t("The server is not responding. Retrying automatically.")}
            {status.chains && (
              <>
                {" "}
                {t("Last response:")} <RelativeTime at={status.updatedAt} />
              </>
            )}
          </p>
          <Button small onClick={status.refetch}>
            {t("Try again")}
          </Button>
        </div>
      )}
      {status.chains &&
        (status.chains.length === 0 ? (
          <p className="soft">{t("No chain configured. Set PURSE_CHAIN_ETH_RPC_URL to a node URL.")}</p>
        ) : (
          <ul className="list">
            {status.chains.map((chain) => (
              <Chain key={chain.chain} chain={chain} server={status} />
            ))}
          </ul>
        ))}
    </section>
  );
}

function Chain({ chain, server }: { chain: ChainState; server: ServerStatus }) {
  const { t, language } = useTranslation();
  const settingsChain = useSettings().chains.find(({ id }) => id === chain.chain);
  return (
    <li className="stack tight">
      <div className="row spread">
        <span>
          <strong>{chainName(settingsChain ?? chain, t)}</strong> <span className="soft">{chain.chain}</span>
        </span>
        <ChainStatus chain={chain} server={server} />
      </div>
      {chain.state === "syncing" && chain.percent !== null && (
        <progress max={100} value={chain.percent} aria-label={t("Indexed")} />
      )}
      <p className="small soft number">
        {chain.indexed === null
          ? t("No blocks yet")
          : t("Block {indexed, number} of {head}", {
              indexed: chain.indexed,
              head: chain.head === null ? "?" : formatNumber(chain.head, language),
            })}
        {chain.etaSeconds !== null &&
          chain.etaSeconds > 0 &&
          chain.state === "syncing" &&
          ` · ${t("about {time} left", { time: formatDuration(chain.etaSeconds * 1_000, language, "long") })}`}
      </p>
    </li>
  );
}
