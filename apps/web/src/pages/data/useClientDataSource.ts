import { ParseFile, Query } from "@purse/client";
import type { DataSource } from "@purse/ui";
import { safeName } from "../files/safeName.ts";
import { toJson } from "./recordValues.ts";
import { useClasses } from "./useClasses.ts";

/** What the user of the app may read and write. */
export function useClientDataSource(): DataSource {
  const { data, ...query } = useClasses();
  return {
    // Where the server lists no classes, records are found by their ID.
    classes: { ...query, data: data === null ? [] : data },
    async findRows(className, where, limit, signal) {
      const records = await Query.fromJSON(className, { where, limit, order: "-updatedAt" }).find({ signal });
      return records.map(toJson);
    },
    async uploadFile(file) {
      const upload = new ParseFile(safeName(file.name), file, file.type);
      await upload.save();
      return { name: upload.name(), url: upload.url() ?? "" };
    },
  };
}
