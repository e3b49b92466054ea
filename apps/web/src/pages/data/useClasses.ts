import type { Moralis } from "@purse/client";
import { useMoralis } from "@purse/react";
import { type DataClass, dataFieldsOf, type QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";

/** A class that the user can query, as listed by the server. */
export interface ClassInfo extends DataClass {
  /** Whether the user can create records and add fields. */
  create: boolean;
  addField: boolean;
}

/** The classes that the user can query; null if the server does not list classes. */
export function useClasses(): QueryResult<readonly ClassInfo[] | null> {
  const { Moralis, user } = useMoralis();
  const { listsClasses } = useSettings();
  return useServerQuery<readonly ClassInfo[] | null>({
    // The list depends on the user.
    queryKey: ["classes", user?.id],
    queryFn: async ({ signal }) => (listsClasses ? fetchClasses(Moralis, signal) : null),
  });
}

async function fetchClasses(
  client: Pick<typeof Moralis, "CoreManager">,
  signal: AbortSignal,
): Promise<ClassInfo[]> {
  const response: unknown = await client.CoreManager.getRESTController().request(
    "GET",
    "classes",
    {},
    { signal },
  );
  const results: unknown = Object(response).results;
  return (Array.isArray(results) ? results : []).map((each: unknown) => {
    const { className, fields, create, addField } = Object(each);
    return {
      className: String(className),
      fields: dataFieldsOf(Object(fields)),
      create: create === true,
      addField: addField === true,
    };
  });
}
