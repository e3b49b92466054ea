import type { JsonObject } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange, useRows } from "../parts/asking.ts";
import { textOf } from "../parts/fields.ts";
import { Rows, Section } from "../parts/Room.tsx";
import type { Chain } from "./ChainTable.tsx";
import { WatchForm } from "./WatchForm.tsx";

/** What of a chain becomes objects of a class. */
export function Watches({ chains }: { chains: readonly Chain[] }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const watches = useRows("/watches");
  const [edited, setEdited] = useState<JsonObject | "new" | undefined>(undefined);
  const [gone, setGone] = useState<JsonObject | undefined>(undefined);
  const remove = useChange(
    (row: JsonObject) => studio.delete(`/watches/${encodeURIComponent(textOf(row, "objectId"))}`),
    t("The watch is gone. Its objects stay."),
  );
  return (
    <Section
      title={t("Watched events and addresses")}
      actions={
        <Button small disabled={!may} onClick={() => setEdited("new")}>
          <Plus size={15} aria-hidden="true" />
          {t("Add a watch")}
        </Button>
      }
    >
      <Rows query={watches} label={t("Loading the watches")}>
        {(rows) => (
          <Table
            caption={t("Watched events and addresses")}
            rows={rows}
            rowKey={(row) => textOf(row, "objectId")}
            empty={
              <EmptyState title={t("Nothing is watched here")}>
                {t(
                  "A watch makes an object of each event of a contract, or of what an address moves. Those of the cloud code are not listed.",
                )}
              </EmptyState>
            }
            columns={[
              {
                key: "what",
                label: t("What"),
                cell: (row) => <code className="cut">{whatOf(row, t("all that the address moves"))}</code>,
              },
              {
                key: "address",
                label: t("Address"),
                cell: (row) => (
                  <code className="cut" title={textOf(row, "address")}>
                    {textOf(row, "address")}
                  </code>
                ),
              },
              { key: "chain", label: t("Chain"), hideOnPhone: true, cell: (row) => textOf(row, "chainId") },
              {
                key: "class",
                label: t("Class"),
                cell: (row) => {
                  const className = textOf(row, "tableName") || "WalletTransfers";
                  return (
                    <Link to="/data" search={{ class: className }}>
                      <code>{className}</code>
                    </Link>
                  );
                },
              },
              {
                key: "hook",
                label: t("Web hook"),
                hideOnPhone: true,
                cell: (row) => <bdi className="cut">{textOf(row, "webhook")}</bdi>,
              },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (row) => (
                  <span className="actions">
                    <Button
                      small
                      disabled={!may}
                      onClick={() => setEdited(row)}
                      aria-label={t("Change the watch of {name}", { name: textOf(row, "address") })}
                    >
                      {t("Change")}
                    </Button>
                    <Button
                      small
                      variant="danger"
                      disabled={!may}
                      onClick={() => setGone(row)}
                      aria-label={t("Remove the watch of {name}", { name: textOf(row, "address") })}
                    >
                      {t("Remove")}
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Rows>
      {edited !== undefined && (
        <WatchForm
          key={edited === "new" ? "new" : textOf(edited, "objectId")}
          chains={chains}
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Remove this watch?")}
        about={t("What happens from now on becomes no objects; those that are there stay.")}
        verb={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => gone && remove.mutate(gone, { onSuccess: () => setGone(undefined) })}
      />
    </Section>
  );
}

/** The event, by what is said of it. */
function whatOf(row: JsonObject, otherwise: string): string {
  const topic = textOf(row, "topic");
  if (topic !== "") return topic;
  const [first] = Array.isArray(row.abi) ? row.abi : [];
  const named = typeof first === "object" && first !== null && !Array.isArray(first) ? first.name : undefined;
  return typeof named === "string" ? named : otherwise;
}
