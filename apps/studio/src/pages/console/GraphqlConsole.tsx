import { Button, ErrorState, TextArea, useTranslation } from "@purse/ui";
import { Send } from "lucide-react";
import { useState } from "react";
import { parseJsonObject } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { ConsoleHistory } from "./ConsoleHistory.tsx";
import { ConsoleResult } from "./ConsoleResult.tsx";
import { CopyRequest } from "./CopyRequest.tsx";
import type { GraphqlRequest, Identity } from "./consoleRequest.ts";
import { IdentityFields } from "./IdentityFields.tsx";
import { SchemaDocs } from "./SchemaDocs.tsx";
import { useConsole } from "./useConsole.ts";

/** Runs GraphQL operations, beside the documentation of the schema. */
export function GraphqlConsole() {
  const { t } = useTranslation();
  const [request, setRequest] = useState<Omit<GraphqlRequest, "as">>({
    kind: "graphql",
    query: "query {\n  health\n}",
    variables: "",
  });
  const [as, setAs] = useState<Identity | undefined>("");
  const { sending, history } = useConsole("graphql");
  const { query, variables } = request;
  const change = (changes: Partial<Omit<GraphqlRequest, "as">>) =>
    setRequest((current) => ({ ...current, ...changes }));
  const isValid = query.trim() !== "" && parseJsonObject(variables).problem === undefined;
  return (
    <div className="workbench">
      <SchemaDocs onChoose={change} />
      <div className="stack">
        <form
          className="card stack"
          aria-label={t("Request")}
          onSubmit={(event) => {
            event.preventDefault();
            if (as !== undefined) sending.mutate({ ...request, as });
          }}
        >
          <div className="filters">
            <IdentityFields value={as} onChange={setAs} />
          </div>
          <div className="mono-field">
            <TextArea
              label={t("Query")}
              value={query}
              onChange={(event) => change({ query: event.target.value })}
              rows={12}
              isCode
            />
          </div>
          <JsonField
            label={t("Variables")}
            value={variables}
            onChange={(to) => change({ variables: to })}
            rows={3}
          />
          {sending.error && <ErrorState error={sending.error} />}
          <div className="row">
            <Button
              type="submit"
              variant="primary"
              busy={sending.isPending}
              disabled={!isValid || as === undefined}
            >
              <Send size={16} aria-hidden="true" />
              {t("Run query")}
            </Button>
          </div>
          {as !== undefined && <CopyRequest request={{ ...request, as }} />}
        </form>
        <div aria-live="polite">{sending.data && <ConsoleResult response={sending.data.response} />}</div>
        <ConsoleHistory
          history={history}
          onReuse={(sent) => {
            if (sent.kind !== "graphql") return;
            setRequest(sent);
            setAs(sent.as);
          }}
        />
      </div>
    </div>
  );
}
