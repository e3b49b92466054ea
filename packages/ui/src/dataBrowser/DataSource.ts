import type { JsonObject } from "@purse/protocol";
import { createContext, useContext } from "react";
import type { QueryResult } from "../components/QueryState.tsx";
import type { DataField } from "./fields.ts";

/** A class whose rows can be read. */
export interface DataClass {
  className: string;
  fields: readonly DataField[];
}

/** What editors and filters read and write besides the value that they edit, as the user of the app may. */
export interface DataSource {
  classes: QueryResult<readonly DataClass[]>;
  /** The first rows that match, in the JSON format of the API. */
  findRows(className: string, where: JsonObject, limit: number, signal: AbortSignal): Promise<JsonObject[]>;
  /** Uploads a file, which a File field can then refer to. */
  uploadFile(file: File): Promise<{ name: string; url: string }>;
}

const DataSourceContext = createContext<DataSource | undefined>(undefined);

export const DataSourceProvider = DataSourceContext.Provider;

/** The data source of the app. Throws outside of a DataSourceProvider. */
export function useDataSource(): DataSource {
  const source = useContext(DataSourceContext);
  if (!source) throw new Error("There is no DataSourceProvider.");
  return source;
}
