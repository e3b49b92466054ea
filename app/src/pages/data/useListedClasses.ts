import type { Moralis } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useEffect, useState } from "react";
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

/** The classes in which one may find something; undefined where the server does not tell, or has not yet. */
export function useListedClasses(): readonly ListedClass[] | undefined {
  const { Moralis, user, isInitialized } = useMoralis();
  const { listsClasses } = useSettings();
  const [listed, setListed] = useState<readonly ListedClass[]>();
  const userId = user?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: others may find in other classes.
  useEffect(() => {
    if (!listsClasses || !isInitialized) return undefined;
    const ended = new AbortController();
    ask(Moralis, ended.signal).then(
      (found) => !ended.signal.aborted && setListed(found),
      // Without them classes are typed by name: nothing that works is missing.
      () => undefined,
    );
    return () => ended.abort();
  }, [Moralis, listsClasses, isInitialized, userId]);
  return listed;
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
