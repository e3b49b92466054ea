import { useState } from "react";
import { Code } from "../../../design/Code.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { ClassRow } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { type Snippets, snippetsOf } from "./snippets.ts";

type Way = keyof Snippets;

/** How an app speaks with the class, to be copied. */
export function ClassCode({ row }: { row: ClassRow }) {
  const { t } = useTranslation();
  const [way, setWay] = useState<Way>("query");
  const snippets = snippetsOf(row, `${window.location.origin}/server`);
  const labels = { query: t("Ask for objects"), create: t("Make an object"), rest: "REST" };
  return (
    <Section title={t("In an app")}>
      <Tabs<Way>
        label={t("In an app")}
        value={way}
        onChange={setWay}
        tabs={[
          { key: "query", label: labels.query },
          { key: "create", label: labels.create },
          { key: "rest", label: labels.rest },
        ]}
      >
        <Code label={labels[way]} text={snippets[way]} />
      </Tabs>
    </Section>
  );
}
