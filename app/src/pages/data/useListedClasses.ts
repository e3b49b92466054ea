import type { Moralis } from "@purse/client";
import { useMoralis } from "@purse/react";
import type { QueryResult } from "../../design/QueryState.tsx";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";
import type { FieldOf } from "./columns.ts";
import type { ValueType } from "./values.ts";

/** A class as the server tells it to whoever may find in it. */
export interface ListedClass {
  className: string;
  fields: readonly FieldOf[];
  /** Whether one may make records of it, and give them fields that it has not. */
  create: boolean;
  addField: boolean;
}

/** The classes in which one may find something; null where this server does not tell anybody. */
export function useListedClasses(): QueryResult<readonly ListedClass[] | null> {
  const { Moralis, user } = useMoralis();
  const { listsClasses } = useSettings();
  return useServerQuery<readonly ListedClass[] | null>({
    // Others may find in other classes.
    key: ["classes", user?.id],
    read: async ({ signal }) => (listsClasses ? ask(Moralis, signal) : null),
  });
}

async function ask(client: Pick<typeof Moralis, "CoreManager">, signal: AbortSignal): Promise<ListedClass[]> {
  const answer: unknown = await client.CoreManager.getRESTController().request(
    "GET",
    "classes",
    {},
    { signal },
  );
  const results: unknown = Object(answer).results;
  return (Array.isArray(results) ? results : []).map((each: unknown) => {
    const { className, fields, create, addField } = Object(each);
    return {
      className: String(className),
      fields: Object.entries(Object(fields)).map(([name, field]) => fieldOf(name, field)),
      create: create === true,
      addField: addField === true,
    };
  });
}

const TYPES: Readonly<Record<string, ValueType>> = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Date: "date",
  GeoPoint: "geo",
  Pointer: "pointer",
  File: "file",
  Array: "array",
  Object: "object",
};

function fieldOf(name: string, field: unknown): FieldOf {
  const { type, targetClass } = Object(field);
  return {
    name,
    type: TYPES[String(type)],
    ...(typeof targetClass === "string" && { targetClass }),
  };
}
