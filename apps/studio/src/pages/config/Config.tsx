import type { JsonObject } from "@purse/protocol";
import type { StudioConfigParameter } from "@purse/server/studio-api";
import { Button, Status, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { CrudSection } from "../../components/CrudSection.tsx";
import { CutText } from "../../components/cells.tsx";
import { Page } from "../../components/Page.tsx";
import { useStudioList } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { ConfigForm } from "./ConfigForm.tsx";
import { ConfigHistory } from "./ConfigHistory.tsx";

/** Config parameters and their version history. */
export function Config() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const config = useStudioList("/config", {});
  const [isAdding, setAdding] = useState(false);
  const form = (parameter: StudioConfigParameter | undefined, onClose: () => void) => (
    <ConfigForm
      parameter={parameter}
      existingNames={config.data?.map(({ name }) => name) ?? []}
      onClose={onClose}
    />
  );
  return (
    <Page
      title={t("Config")}
      description={t("Parameters that apps read at runtime. Every version can be restored.")}
      editRole="editor"
      actions={
        <Button
          icon={Plus}
          variant="primary"
          disabled={!canEdit || !config.data}
          onClick={() => setAdding(true)}
        >
          {t("Add parameter")}
        </Button>
      }
    >
      <CrudSection
        title={t("Parameters")}
        query={config}
        loadingLabel={t("Loading config…")}
        rowKey={({ name }) => name}
        empty={{
          title: t("No parameters yet"),
          text: t("Use parameters for feature flags or texts that change without a new app release."),
        }}
        columns={[
          { label: t("Name"), cell: ({ name }) => <code>{name}</code> },
          { label: t("Value"), cell: ({ value }) => <CutText text={JSON.stringify(value)} isCode /> },
          { label: t("Type"), hideOnPhone: true, cell: ({ type }) => type },
          {
            label: t("Visibility"),
            cell: ({ isMasterKeyOnly }) => (
              <Status kind={isMasterKeyOnly ? "warning" : "idle"}>
                {isMasterKeyOnly ? t("Master key only") : t("Public")}
              </Status>
            ),
          },
        ]}
        canEdit={canEdit}
        editLabel={({ name }) => t("Edit {name}", { name })}
        form={form}
        removal={{
          label: ({ name }) => t("Remove {name}", { name }),
          title: ({ name }) => t("Remove {name}?", { name }),
          description: () => t("Apps can no longer read it. You can restore an earlier version."),
          run(studio, { name }) {
            const params: JsonObject = { [name]: { __op: "Delete" } };
            return studio.put("/config", { params });
          },
          successMessage: t("Parameter removed (still in history)"),
        }}
      />
      {config.data && <ConfigHistory current={config.data} />}
      {isAdding && form(undefined, () => setAdding(false))}
    </Page>
  );
}
