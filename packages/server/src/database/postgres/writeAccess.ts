import type { JsonObject } from "@purse/protocol";
import { aclGrants } from "../sql/aclCondition.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import type { Write } from "../store.ts";

type Update = Extract<Write, { kind: "update" }>;

/** Objects that the client may not write are reported as not found, so that their existence is not revealed. */
export function writeAccessSql({ subjects, pointers }: Pick<Update, "subjects" | "pointers">): {
  sql: string;
  parameters: SqlParameter[];
} {
  let sql = "";
  const parameters: SqlParameter[] = [];
  if (subjects !== null) {
    sql += " AND (write_acl IS NULL OR write_acl && ?::text::text[])";
    parameters.push(arrayLiteral(subjects));
  }
  if (pointers) {
    const pointer = { __type: "Pointer", className: "_User", objectId: pointers.userId };
    const tests = pointers.fields.map(
      () => "(doc -> ?::text) @> ?::text::jsonb OR (doc -> ?::text) @> ?::text::jsonb",
    );
    sql += ` AND (${tests.join(" OR ") || "FALSE"})`;
    for (const field of pointers.fields) {
      parameters.push(field, JSON.stringify(pointer), field, JSON.stringify([pointer]));
    }
  }
  return { sql, parameters };
}

/** The readers and writers of an ACL as array literals; null for everybody. */
export function aclArrays(acl: JsonObject[string] | undefined): {
  readAcl: string | null;
  writeAcl: string | null;
} {
  const { read, write } = aclGrants(acl);
  return { readAcl: read && arrayLiteral(read), writeAcl: write && arrayLiteral(write) };
}

/** Formats texts as a PostgreSQL array literal. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join()}}`;
}
