import { Field, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { CrudSection } from "../../components/CrudSection.tsx";
import { FormDialog } from "../../components/FormDialog.tsx";
import { Page } from "../../components/Page.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/queries.ts";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import { HookCalls, WebhookDeliveries } from "./Deliveries.tsx";

interface Hook {
  url: string;
  functionName?: string;
  className?: string;
  triggerName?: string;
}

const TRIGGERS = [
  "beforeSave",
  "afterSave",
  "beforeDelete",
  "afterDelete",
  "beforeFind",
  "afterFind",
] as const;

/** Function and trigger hooks, their calls and webhook deliveries. */
export function Hooks() {
  const { t } = useTranslation();
  return (
    <Page
      title={t("Hooks")}
      description={t("Run functions and triggers on other servers, and send chain events to them.")}
      editRole="editor"
    >
      <SearchTabs
        label={t("Hooks")}
        tabs={[
          { key: "hooks", label: t("Functions and triggers"), content: () => <HookList /> },
          { key: "calls", label: t("Calls"), content: () => <HookCalls /> },
          { key: "deliveries", label: t("Chain events"), content: () => <WebhookDeliveries /> },
        ]}
      />
    </Page>
  );
}

function HookList() {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const hooks = useStudioQuery<{ functions: Hook[]; triggers: Hook[] }>("/hooks");
  return (
    <CrudSection
      title={t("Functions and triggers")}
      caption={t("Hooks")}
      query={{ ...hooks, data: hooks.data && [...hooks.data.functions, ...hooks.data.triggers] }}
      loadingLabel={t("Loading hooks…")}
      rowKey={hookName}
      empty={{ title: t("No hooks yet"), text: t("A hook runs a function or trigger on another server.") }}
      columns={[
        { key: "name", label: t("Hook"), cell: (hook) => <code>{hookName(hook)}</code> },
        {
          key: "url",
          label: t("URL"),
          cell: ({ url }) => (
            <bdi className="cut" title={url}>
              {url}
            </bdi>
          ),
        },
      ]}
      canEdit={canEdit}
      create={t("Add hook")}
      editLabel={(hook) => t("Edit {name}", { name: hookName(hook) })}
      form={(hook, onClose) => <HookForm hook={hook} onClose={onClose} />}
      removal={{
        label: (hook) => t("Remove {name}", { name: hookName(hook) }),
        title: (hook) => t("Remove {name}?", { name: hookName(hook) }),
        description: () => t("The server at this URL will no longer be called."),
        run: (hook) => studio.delete(hookPath(hook)),
        successMessage: t("Hook removed"),
      }}
    />
  );
}

function HookForm({ hook, onClose }: { hook: Hook | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [kind, setKind] = useState<"function" | "trigger">("function");
  const [functionName, setFunctionName] = useState("");
  const [className, setClassName] = useState("");
  const [triggerName, setTriggerName] = useState<(typeof TRIGGERS)[number]>("beforeSave");
  const [url, setUrl] = useState(hook?.url ?? "");
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  const isNamed = hook !== undefined || (kind === "function" ? functionName !== "" : className !== "");
  const save = useStudioMutation(
    () =>
      hook
        ? studio.put(hookPath(hook), { url })
        : studio.post(
            "/hooks",
            kind === "function" ? { functionName, url } : { className, triggerName, url },
          ),
    hook ? t("Hook updated") : t("Hook created"),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={hook ? t("Edit {name}", { name: hookName(hook) }) : t("Add hook")}
      confirmLabel={hook ? t("Save") : t("Add")}
      mutation={save}
      disabled={!isUrl || !isNamed}
    >
      {!hook && (
        <Select
          label={t("Type")}
          value={kind}
          onChange={setKind}
          options={[
            { key: "function", label: t("Cloud function") },
            { key: "trigger", label: t("Class trigger") },
          ]}
        />
      )}
      {!hook && kind === "function" && (
        <Field
          label={t("Function name")}
          value={functionName}
          onChange={(event) => setFunctionName(event.target.value)}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {!hook && kind === "trigger" && (
        <>
          <Field
            label={t("Class")}
            value={className}
            onChange={(event) => setClassName(event.target.value)}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
          />
          <Select
            label={t("Trigger")}
            value={triggerName}
            onChange={setTriggerName}
            options={TRIGGERS.map((key) => ({ key, label: key }))}
          />
        </>
      )}
      <Field
        label={t("URL")}
        hint={t("Receives a POST with the function or trigger payload. Respond with {success} or {error}.", {
          success: "{ success }",
          error: "{ error }",
        })}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        problem={url !== "" && !isUrl ? t("The URL must start with https:// or http://.") : undefined}
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
      />
    </FormDialog>
  );
}

function hookName({ functionName, className, triggerName }: Hook): string {
  return functionName ?? `${triggerName}.${className}`;
}

function hookPath({ functionName, className = "", triggerName = "" }: Hook): string {
  return functionName === undefined
    ? `/hooks/triggers/${encodeURIComponent(className)}/${encodeURIComponent(triggerName)}`
    : `/hooks/functions/${encodeURIComponent(functionName)}`;
}
