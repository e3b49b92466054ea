import { QueryState, useTranslation } from "@purse/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PickList } from "../../components/PickList.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { type GraphqlOperation, operationsOf, SCHEMA_QUERY, templateOf } from "./graphqlSchema.ts";

export interface SchemaDocsProps {
  onChoose: (template: { query: string; variables: string }) => void;
}

/** Queries and mutations of the GraphQL schema; choosing one writes a template. */
export function SchemaDocs({ onChoose }: SchemaDocsProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [searchText, setSearchText] = useState("");
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const schema = useQuery({
    queryKey: ["GraphQL schema"],
    queryFn: async () => {
      const { body } = await studio.post("/console/graphql", { query: SCHEMA_QUERY });
      return operationsOf(JSON.parse(body));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const keyOf = ({ kind, name }: GraphqlOperation) => `${kind} ${name}`;
  return (
    <QueryState query={schema} label={t("Loading schema…")}>
      {(operations) => {
        const shown = operations.filter(({ name }) => name.toLowerCase().includes(searchText.toLowerCase()));
        const itemsOf = (kind: GraphqlOperation["kind"]) =>
          shown
            .filter((each) => each.kind === kind)
            .map((each) => ({ key: keyOf(each), label: <code className="cut">{each.name}</code> }));
        const operation = operations.find((each) => keyOf(each) === chosen);
        return (
          <PickList
            label={t("Schema")}
            groups={[
              { title: t("Queries"), items: itemsOf("query") },
              { title: t("Mutations"), items: itemsOf("mutation") },
            ].filter(({ items }) => items.length > 0)}
            value={chosen}
            onChange={(key) => {
              setChosen(key);
              const found = operations.find((each) => keyOf(each) === key);
              if (found) onChoose(templateOf(found));
            }}
            search={{ label: t("Search schema"), value: searchText, onChange: setSearchText }}
          >
            {operation && <Signature operation={operation} />}
          </PickList>
        );
      }}
    </QueryState>
  );
}

function Signature({ operation: { name, description, args, type } }: { operation: GraphqlOperation }) {
  return (
    <div className="stack small">
      <p>{description}</p>
      <pre className="wrap">
        {name}({args.map((arg) => `\n  ${arg.name}: ${arg.type}`).join("")}
        {args.length > 0 ? "\n" : ""}): {type}
      </pre>
    </div>
  );
}
