import { TextArea, useTranslation } from "@purse/ui";
import { useState } from "react";
import { parseJsonObject } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { useTabDraft } from "../../components/useTabDraft.ts";
import type { Identity } from "./consoleRequest.ts";
import { IdentityFields } from "./IdentityFields.tsx";
import { RequestForm } from "./RequestForm.tsx";
import { SchemaDocs } from "./SchemaDocs.tsx";

/** Runs GraphQL operations, beside the documentation of the schema. */
export function GraphqlConsole() {
  const { t } = useTranslation();
  const [{ query, variables }, change] = useTabDraft("graphql", {
    query: "query {\n  health\n}",
    variables: "",
  });
  const [as, setAs] = useState<Identity | undefined>("");
  const isValid = query.trim() !== "" && parseJsonObject(variables).problem === undefined;
  return (
    <div className="workbench">
      <SchemaDocs onChoose={change} />
      <RequestForm
        kind="graphql"
        request={as === undefined ? undefined : { kind: "graphql", query, variables, as }}
        canSend={isValid}
        sendLabel={t("Run query")}
        onReuse={(sent) => {
          if (sent.kind !== "graphql") return;
          change({ query: sent.query, variables: sent.variables });
          setAs(sent.as);
        }}
      >
        <div className="filters">
          <IdentityFields value={as} onChange={setAs} />
        </div>
        <div className="mono-field">
          <TextArea
            label={t("Query")}
            value={query}
            onText={(text) => change({ query: text })}
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
      </RequestForm>
    </div>
  );
}
