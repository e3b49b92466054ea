import type { StudioSession } from "@purse/server/studio-api";
import { EmptyState, RelativeTime, Status, Table, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { CutText } from "../../components/cells.tsx";

export interface SessionTableProps {
  sessions: readonly StudioSession[];
  actions?: (session: StudioSession) => ReactNode;
}

/** Sessions of an operator. `actions` renders the last column. */
export function SessionTable({ sessions, actions }: SessionTableProps) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t("Sessions")}
      rows={sessions}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t("No active sessions")} />}
      columns={[
        {
          label: t("Device"),
          cell: ({ address, userAgent, isCurrent, name }) => (
            <>
              {name === undefined ? (
                <CutText text={browserOf(userAgent)} title={userAgent} />
              ) : (
                <CutText text={t("Access token {name}", { name })} />
              )}{" "}
              <bdi className="soft">{address}</bdi>{" "}
              {isCurrent && <Status kind="ok">{t("This device")}</Status>}
            </>
          ),
        },
        { label: t("Last used"), cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} /> },
        { label: t("Expires"), hideOnPhone: true, cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
      ]}
      actions={actions}
    />
  );
}

/** Browser and system of a user agent; unknown ones are returned unchanged. */
function browserOf(userAgent: string): string {
  const name = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  const known = name === "Edg" ? "Edge" : name === "OPR" ? "Opera" : name;
  return known && system ? `${known}, ${system.replace("Mac OS X", "macOS")}` : userAgent;
}
