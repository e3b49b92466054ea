import type { JsonObject } from "@purse/protocol";
import { Button, EmptyState, Table, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { stringField } from "../../components/fields.ts";
import { InfiniteQueryState, Section } from "../../components/Page.tsx";
import { useInfiniteStudioQuery, useStudioMutation } from "../../components/queries.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import type { Chain } from "./ChainTable.tsx";
import { WatchForm } from "./WatchForm.tsx";

/** Listeners that store chain events as objects. */
export function Watches({ chains }: { chains: readonly Chain[] }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const watches = useInfiniteStudioQuery("/watches");
  const [editing, setEditing] = useState<JsonObject | "new" | undefined>(undefined);
  const [removing, setRemoving] = useState<JsonObject | undefined>(undefined);
  const remove = useStudioMutation(
    (row: JsonObject) => studio.delete(`/watches/${encodeURIComponent(stringField(row, "objectId"))}`),
    t("Listener removed. Its objects are kept."),
  );
  return (
    <Section
      title={t("Event listeners")}
      actions={
        <Button small disabled={!canEdit} onClick={() => setEditing("new")}>
          <Plus size={15} aria-hidden="true" />
          {t("Add listener")}
        </Button>
      }
    >
      <InfiniteQueryState query={watches} label={t("Loading listeners…")}>
        {(rows) => (
          <Table
            caption={t("Event listeners")}
            rows={rows}
            rowKey={(row) => stringField(row, "objectId")}
            empty={
              <EmptyState title={t("No listeners yet")}>
                {t(
                  "A listener stores contract events, or the transfers of an address, as objects. Listeners defined in cloud code are not shown.",
                )}
              </EmptyState>
            }
            columns={[
              {
                key: "what",
                label: t("Event"),
                cell: (row) => <code className="cut">{describeWatch(row, t("All transfers"))}</code>,
              },
              {
                key: "address",
                label: t("Address"),
                cell: (row) => (
                  <code className="cut" title={stringField(row, "address")}>
                    {stringField(row, "address")}
                  </code>
                ),
              },
              {
                key: "chain",
                label: t("Chain"),
                hideOnPhone: true,
                cell: (row) => stringField(row, "chainId"),
              },
              {
                key: "class",
                label: t("Class"),
                cell: (row) => {
                  const className = stringField(row, "tableName") || "WalletTransfers";
                  return (
                    <Link to="/data" search={{ class: className }}>
                      <code>{className}</code>
                    </Link>
                  );
                },
              },
              {
                key: "hook",
                label: t("Webhook URL"),
                hideOnPhone: true,
                cell: (row) => <bdi className="cut">{stringField(row, "webhook")}</bdi>,
              },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (row) => (
                  <span className="actions">
                    <Button
                      small
                      disabled={!canEdit}
                      onClick={() => setEditing(row)}
                      aria-label={t("Edit listener of {name}", { name: stringField(row, "address") })}
                    >
                      {t("Edit")}
                    </Button>
                    <Button
                      small
                      variant="danger"
                      disabled={!canEdit}
                      onClick={() => setRemoving(row)}
                      aria-label={t("Remove listener of {name}", { name: stringField(row, "address") })}
                    >
                      {t("Remove")}
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </InfiniteQueryState>
      {editing !== undefined && (
        <WatchForm
          key={editing === "new" ? "new" : stringField(editing, "objectId")}
          chains={chains}
          row={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
      <ConfirmDialog
        open={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t("Remove this listener?")}
        description={t("New events will no longer be stored. Existing objects are kept.")}
        confirmLabel={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => removing && remove.mutate(removing, { onSuccess: () => setRemoving(undefined) })}
      />
    </Section>
  );
}

/** The event's signature or name. */
function describeWatch(row: JsonObject, fallback: string): string {
  const topic = stringField(row, "topic");
  if (topic !== "") return topic;
  const [first] = Array.isArray(row.abi) ? row.abi : [];
  const named = typeof first === "object" && first !== null && !Array.isArray(first) ? first.name : undefined;
  return typeof named === "string" ? named : fallback;
}
