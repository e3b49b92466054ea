import type { JsonObject } from "@purse/protocol";
import type { StudioChain } from "@purse/server/studio-api";
import { useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { CrudSection } from "../../components/CrudSection.tsx";
import { CutText } from "../../components/cells.tsx";
import { stringField } from "../../components/fields.ts";
import { useInfiniteStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { WatchForm } from "./WatchForm.tsx";

/** Listeners that store chain events as objects. */
export function Watches({ chains }: { chains: readonly StudioChain[] }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const watches = useInfiniteStudioQuery("/watches", {});
  return (
    <CrudSection
      title={t("Event listeners")}
      query={watches}
      loadingLabel={t("Loading listeners…")}
      rowKey={(row) => stringField(row, "objectId")}
      empty={{
        title: t("No listeners yet"),
        text: t(
          "A listener stores contract events, or the transfers of an address, as objects. Listeners defined in cloud code are not shown.",
        ),
      }}
      columns={[
        {
          label: t("Event"),
          cell: (row) => <code className="cut">{describeWatch(row, t("All transfers"))}</code>,
        },
        { label: t("Address"), cell: (row) => <CutText text={stringField(row, "address")} isCode /> },
        { label: t("Chain"), hideOnPhone: true, cell: (row) => stringField(row, "chainId") },
        {
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
          label: t("Webhook URL"),
          hideOnPhone: true,
          cell: (row) => <bdi className="cut">{stringField(row, "webhook")}</bdi>,
        },
      ]}
      canEdit={canEdit}
      create={t("Add listener")}
      editLabel={(row) => t("Edit listener of {name}", { name: stringField(row, "address") })}
      form={(row, onClose) => <WatchForm chains={chains} row={row} onClose={onClose} />}
      removal={{
        label: (row) => t("Remove listener of {name}", { name: stringField(row, "address") }),
        title: () => t("Remove this listener?"),
        description: () => t("New events will no longer be stored. Existing objects are kept."),
        run: (studio, row) => studio.delete("/watches/:objectId", { objectId: stringField(row, "objectId") }),
        successMessage: t("Listener removed. Its objects are kept."),
      }}
    />
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
