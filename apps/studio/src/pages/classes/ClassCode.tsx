import type { StudioClass } from "@purse/server/studio-api";
import { Code, Tabs, useTranslation } from "@purse/ui";
import { useState } from "react";
import { Section } from "../../components/Page.tsx";
import { buildSnippets, type Snippets } from "./snippets.ts";

type SnippetKind = keyof Snippets;

/** Code examples for the class. */
export function ClassCode({ row }: { row: StudioClass }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<SnippetKind>("query");
  const snippets = buildSnippets(row, `${window.location.origin}/server`);
  const labels = { query: t("Query objects"), create: t("Create an object"), rest: "REST" };
  return (
    <Section title={t("Code examples")}>
      <Tabs<SnippetKind>
        label={t("Code examples")}
        value={kind}
        onChange={setKind}
        tabs={[
          { key: "query", label: labels.query },
          { key: "create", label: labels.create },
          { key: "rest", label: labels.rest },
        ]}
      >
        <Code label={labels[kind]} text={snippets[kind]} />
      </Tabs>
    </Section>
  );
}
