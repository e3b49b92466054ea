import { Status, useTranslation } from "@purse/ui";
import type { ChainState, ServerStatus } from "./useServerStatus.ts";

export interface ChainStatusProps {
  chain: Pick<ChainState, "state"> | undefined;
  server: Pick<ServerStatus, "state">;
}

/** The indexing status of a chain; `server` is the source of it. */
export function ChainStatus({ chain, server }: ChainStatusProps) {
  const { t } = useTranslation();
  if (server.state === "connecting") return <Status kind="busy">{t("Connecting")}</Status>;
  if (server.state === "unreachable") return <Status kind="danger">{t("Unreachable")}</Status>;
  switch (chain?.state) {
    case "following":
      return <Status kind="ok">{t("Synced")}</Status>;
    case "stalled":
      return <Status kind="warning">{t("No new blocks")}</Status>;
    case "syncing":
      return <Status kind="busy">{t("Syncing")}</Status>;
    case "refused":
      return <Status kind="danger">{t("Node rejected")}</Status>;
    case "stopped":
      return <Status kind="danger">{t("Indexing stopped")}</Status>;
    default:
      return <Status kind="warning">{t("Node unreachable")}</Status>;
  }
}
