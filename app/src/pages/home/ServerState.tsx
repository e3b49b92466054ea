import { Status } from "../../design/Status.tsx";
import { Skeleton } from "../../design/states.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { type ChainState, useServerStatus } from "./useServerStatus.ts";

/** How the server and the chains that it follows are, kept up to date. */
export function ServerState() {
  const { t } = useTexts();
  const status = useServerStatus();
  return (
    <section className="card stack tight server-state" aria-labelledby="server-state">
      <div className="row spread">
        <h2 id="server-state">{t("This server")}</h2>
        {status.state === "waiting" && <Status kind="busy">{t("Asking")}</Status>}
        {status.state === "there" && <Status kind="ok">{t("Running")}</Status>}
        {status.state === "away" && <Status kind="danger">{t("Not reached")}</Status>}
      </div>
      {status.state === "waiting" && <Skeleton height="4.6rem" />}
      {status.state === "away" && (
        <p className="soft">{t("It does not answer. This page asks again by itself.")}</p>
      )}
      {status.state === "there" &&
        (status.chains.length === 0 ? (
          <p className="soft">
            {t("No chain is followed yet: set PURSE_CHAIN_ETH_RPC_URL to a node's address.")}
          </p>
        ) : (
          <ul className="list">
            {status.chains.map((chain) => (
              <Chain key={chain.chain} chain={chain} />
            ))}
          </ul>
        ))}
    </section>
  );
}

function Chain({ chain }: { chain: ChainState }) {
  const { t } = useTexts();
  const said = {
    syncing: <Status kind="busy">{t("Catching up")}</Status>,
    following: <Status kind="ok">{t("At the head")}</Status>,
    unreachable: <Status kind="warning">{t("No node answers")}</Status>,
    refused: <Status kind="danger">{t("Node refused")}</Status>,
    stopped: <Status kind="danger">{t("Indexing stopped")}</Status>,
  };
  return (
    <li className="stack tight">
      <div className="row spread">
        <span>
          <strong>{chain.name === "localdevchain" ? t("Local chain") : chain.name}</strong>{" "}
          <span className="soft">{chain.chain}</span>
        </span>
        {said[chain.state]}
      </div>
      {chain.state === "syncing" && chain.percent !== null && (
        <progress max={100} value={chain.percent} aria-label={t("Indexed")} />
      )}
      <p className="small soft number">
        {chain.indexed === null
          ? t("No block yet")
          : t("Block {indexed} of {head}", { indexed: chain.indexed, head: chain.head ?? "?" })}
        {chain.etaSeconds !== null && chain.state === "syncing" && (
          <> · {t("{minutes} min to go", { minutes: Math.ceil(chain.etaSeconds / 60) })}</>
        )}
      </p>
    </li>
  );
}
