import type { JsonObject } from "@purse/protocol";
import { Field, Select, useTranslation } from "@purse/ui";
import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { useClasses } from "../../components/classes.ts";
import { parseJsonObject } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { useTabDraft } from "../../components/useTabDraft.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { completionsOf, matching, operationOf } from "./completions.ts";
import type { Identity, RestRequest } from "./consoleRequest.ts";
import { IdentityFields } from "./IdentityFields.tsx";
import { RequestForm } from "./RequestForm.tsx";

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

export interface RestConsoleProps {
  /** Of what was entered in this tab. */
  draftName: string;
  /** What the editors contain first. */
  initial: Pick<RestRequest, "method" | "path" | "body">;
}

/** Sends requests to the REST API. */
export function RestConsole({ draftName, initial }: RestConsoleProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [draft, change] = useTabDraft<{ method: string; path: string; body: string }>(draftName, initial);
  const [as, setAs] = useState<Identity | undefined>("");
  const completions = useCompletions();
  const listId = useId();
  const { path, body } = draft;
  const method = METHODS.find((each) => each === draft.method) ?? initial.method;
  const operation = operationOf(completions, method, path);
  const isValid = path.startsWith("/") && (method === "GET" || parseJsonObject(body).problem === undefined);
  return (
    <RequestForm
      kind="rest"
      request={as === undefined ? undefined : { kind: "rest", method, path, body, as }}
      canSend={isValid && (method === "GET" || canEdit)}
      sendLabel={t("Send request")}
      onReuse={(sent) => {
        if (sent.kind !== "rest") return;
        change({ method: sent.method, path: sent.path, body: sent.body });
        setAs(sent.as);
      }}
    >
      <div className="filters">
        <Select
          label={t("Method")}
          value={method}
          onChange={(to) => change({ method: to })}
          options={METHODS.map((key) => ({ key, label: key }))}
        />
        <IdentityFields value={as} onChange={setAs} />
      </div>
      <Field
        label={t("Path")}
        value={path}
        onText={(text) => change({ path: text })}
        list={listId}
        hint={
          operation ? (
            <span lang="en">
              {[operation.summary, operation.query.join(", ")].filter((text) => text !== "").join(": ")}
            </span>
          ) : (
            t("Below {path}, with a query string", { path: "/server" })
          )
        }
        isCode
      />
      <datalist id={listId}>
        {matching(completions, method, path).map((each) => (
          <option key={each.path} value={each.path}>
            {each.summary}
          </option>
        ))}
      </datalist>
      {method !== "GET" && (
        <JsonField label={t("Body")} value={body} onChange={(to) => change({ body: to })} rows={8} />
      )}
    </RequestForm>
  );
}

/** The operations of the Parse API; none until they are loaded. */
function useCompletions() {
  const { data: classes } = useClasses();
  const { data: functions } = useStudioQuery("/functions", {});
  const { data: document } = useQuery({
    queryKey: ["parse OpenAPI"],
    queryFn: async ({ signal }): Promise<JsonObject> => {
      const response = await fetch("/server/openapi.json", { signal });
      return response.json();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(
    () =>
      document
        ? completionsOf(document, {
            classes: classes?.map(({ className }) => className) ?? [],
            functions: functions?.functions ?? [],
          })
        : [],
    [document, classes, functions],
  );
}
