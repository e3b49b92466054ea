import type { StudioHook } from "@purse/server/studio-api";
import {
  Button,
  Field,
  FormDialog,
  NO_MESSAGE,
  optionalText,
  Select,
  useForm,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";
import { CrudSection } from "../../components/CrudSection.tsx";
import { CutText } from "../../components/cells.tsx";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import { HookCalls, WebhookDeliveries } from "./Deliveries.tsx";
import { CallPolicy } from "./RetryPolicy.tsx";
import { SigningFacts } from "./SigningFacts.tsx";
import { TestEvent, TestEventDialog } from "./TestEvent.tsx";

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
  const canEdit = useHasRole("editor");
  const hooks = useStudioQuery("/hooks", {});
  const [tested, setTested] = useState<StudioHook | undefined>(undefined);
  return (
    <CrudSection
      title={t("Functions and triggers")}
      caption={t("Hooks")}
      query={{ ...hooks, data: hooks.data && [...hooks.data.functions, ...hooks.data.triggers] }}
      loadingLabel={t("Loading hooks…")}
      rowKey={hookName}
      empty={{ title: t("No hooks yet"), text: t("A hook runs a function or trigger on another server.") }}
      columns={[
        { label: t("Hook"), cell: (hook) => <code>{hookName(hook)}</code> },
        { label: t("URL"), cell: ({ url }) => <CutText text={url} /> },
      ]}
      canEdit={canEdit}
      description={<CallPolicy />}
      actions={(hook) => (
        <Button
          small
          disabled={!canEdit}
          onClick={() => setTested(hook)}
          aria-label={t("Test {name}", { name: hookName(hook) })}
        >
          {t("Test")}
        </Button>
      )}
      create={t("Add hook")}
      editLabel={(hook) => t("Edit {name}", { name: hookName(hook) })}
      form={(hook, onClose) => <HookForm hook={hook} onClose={onClose} />}
      removal={{
        label: (hook) => t("Remove {name}", { name: hookName(hook) }),
        title: (hook) => t("Remove {name}?", { name: hookName(hook) }),
        description: () => t("The server at this URL will no longer be called."),
        run: (studio, { functionName, className = "", triggerName = "" }) =>
          functionName === undefined
            ? studio.delete("/hooks/triggers/:className/:triggerName", { className, triggerName })
            : studio.delete("/hooks/functions/:functionName", { functionName }),
        successMessage: t("Hook removed"),
      }}
    >
      {tested && (
        <TestEventDialog hook={tested} name={hookName(tested)} onClose={() => setTested(undefined)} />
      )}
    </CrudSection>
  );
}

const HOOK_URL = z.object({
  kind: z.enum(["function", "trigger"]),
  functionName: optionalText,
  className: optionalText,
  triggerName: z.enum(TRIGGERS),
  url: z.string().check(
    z.minLength(1, NO_MESSAGE),
    z.refine(
      (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol),
      "The URL must start with https:// or http://.",
    ),
  ),
});

const NEW_HOOK = HOOK_URL.check(
  z.refine(
    ({ kind, functionName, className }) => (kind === "function" ? functionName : className) !== "",
    NO_MESSAGE,
  ),
);

function HookForm({ hook, onClose }: { hook: StudioHook | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const form = useForm(hook ? HOOK_URL : NEW_HOOK, {
    kind: "function",
    functionName: "",
    className: "",
    triggerName: "beforeSave",
    url: hook?.url ?? "",
  });
  const { kind, functionName, className, triggerName, url } = form.values;
  const declared: StudioHook = hook
    ? { ...hook, url }
    : kind === "function"
      ? { functionName, url }
      : { className, triggerName, url };
  const save = useStudioMutation(
    (studio, { kind, functionName, className, triggerName, url }: z.infer<typeof HOOK_URL>) =>
      hook
        ? changeUrl(hook, url)
        : studio.post(
            "/hooks",
            kind === "function" ? { functionName, url } : { className, triggerName, url },
          ),
    hook ? t("Hook updated") : t("Hook created"),
  );
  function changeUrl({ functionName, className = "", triggerName = "" }: StudioHook, url: string) {
    return functionName === undefined
      ? studio.put("/hooks/triggers/:className/:triggerName", { className, triggerName, url })
      : studio.put("/hooks/functions/:functionName", { functionName, url });
  }
  return (
    <FormDialog
      onClose={onClose}
      title={hook ? t("Edit {name}", { name: hookName(hook) }) : t("Add hook")}
      confirmLabel={hook ? t("Save") : t("Add")}
      form={form}
      mutation={save}
    >
      {!hook && (
        <Select
          label={t("Type")}
          {...form.choice("kind")}
          options={{ function: t("Cloud function"), trigger: t("Class trigger") }}
        />
      )}
      {!hook && kind === "function" && (
        <Field label={t("Function name")} {...form.input("functionName")} maxLength={128} isCode />
      )}
      {!hook && kind === "trigger" && (
        <>
          <Field label={t("Class")} {...form.input("className")} maxLength={128} isCode />
          <Select
            label={t("Trigger")}
            {...form.choice("triggerName")}
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
        {...form.input("url")}
        maxLength={2000}
        isCode
      />
      <TestEvent hook={form.isValid ? declared : undefined} />
      <SigningFacts />
    </FormDialog>
  );
}

function hookName({ functionName, className, triggerName }: StudioHook): string {
  return functionName ?? `${triggerName}.${className}`;
}
