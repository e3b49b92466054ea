import type { JsonObject } from "@purse/protocol";
import { Button, EmptyState, QueryState, Status, Table, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { Page, Section } from "../../components/Page.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/queries.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import { ConfigForm } from "./ConfigForm.tsx";
import { ConfigHistory } from "./ConfigHistory.tsx";
import type { Parameter } from "./value.ts";

/** Config parameters and their version history. */
export function Config() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const config = useStudioQuery<{ results: Parameter[] }>("/config");
  const [editing, setEditing] = useState<Parameter | "new" | undefined>(undefined);
  return (
    <Page
      title={t("Config")}
      description={t("Parameters that apps read at runtime. Every version can be restored.")}
      editRole="editor"
      actions={
        <Button variant="primary" disabled={!canEdit || !config.data} onClick={() => setEditing("new")}>
          <Plus size={16} aria-hidden="true" />
          {t("Add parameter")}
        </Button>
      }
    >
      <Section title={t("Parameters")}>
        <QueryState query={config} label={t("Loading config…")}>
          {({ results }) => <ParameterTable values={results} onEdit={setEditing} />}
        </QueryState>
      </Section>
      {config.data && <ConfigHistory current={config.data.results} />}
      {editing !== undefined && (
        <ConfigForm
          parameter={editing === "new" ? undefined : editing}
          existingNames={config.data?.results.map(({ name }) => name) ?? []}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Page>
  );
}

function ParameterTable({
  values,
  onEdit,
}: {
  values: readonly Parameter[];
  onEdit: (value: Parameter) => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const [removing, setRemoving] = useState<Parameter | undefined>(undefined);
  const remove = useStudioMutation(({ name }: Parameter) => {
    const params: JsonObject = { [name]: { __op: "Delete" } };
    return studio.put("/config", { params });
  }, t("Parameter removed (still in history)"));
  return (
    <>
      <Table
        caption={t("Parameters")}
        rows={values}
        rowKey={({ name }) => name}
        empty={
          <EmptyState title={t("No parameters yet")}>
            {t("Use parameters for feature flags or texts that change without a new app release.")}
          </EmptyState>
        }
        columns={[
          { key: "name", label: t("Name"), cell: ({ name }) => <code>{name}</code> },
          {
            key: "value",
            label: t("Value"),
            cell: ({ value }) => (
              <code className="cut" title={JSON.stringify(value)}>
                {JSON.stringify(value)}
              </code>
            ),
          },
          { key: "type", label: t("Type"), hideOnPhone: true, cell: ({ type }) => type },
          {
            key: "who",
            label: t("Visibility"),
            cell: ({ isMasterKeyOnly }) =>
              isMasterKeyOnly ? (
                <Status kind="warning">{t("Master key only")}</Status>
              ) : (
                <Status kind="idle">{t("Public")}</Status>
              ),
          },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (value) => (
              <span className="actions">
                <Button
                  small
                  disabled={!canEdit}
                  onClick={() => onEdit(value)}
                  aria-label={t("Edit {name}", { name: value.name })}
                >
                  {t("Edit")}
                </Button>
                <Button
                  small
                  variant="danger"
                  disabled={!canEdit}
                  onClick={() => setRemoving(value)}
                  aria-label={t("Remove {name}", { name: value.name })}
                >
                  {t("Remove")}
                </Button>
              </span>
            ),
          },
        ]}
      />
      <ConfirmDialog
        open={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t("Remove {name}?", { name: removing?.name ?? "" })}
        description={t("Apps can no longer read it. You can restore an earlier version.")}
        confirmLabel={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => removing && remove.mutate(removing, { onSuccess: () => setRemoving(undefined) })}
      />
    </>
  );
}
