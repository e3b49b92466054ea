import {
  assertStorableTexts,
  type JsonObject,
  type Operation,
  unstorableTextError,
  valuesIn,
} from "@purse/protocol";
import { listsWithPaths } from "../classSchema.ts";
import type { CreateWrite, Write } from "../store.ts";
import type { UserPointers } from "../userPointers.ts";
import { aclColumns } from "./aclColumns.ts";

/** Kinds of writes that are passed on unchanged. */
type PlainKind =
  | "reserveUnique"
  | "releaseUnique"
  | "releaseAllUnique"
  | "incrementCounter"
  | "resetCounter"
  | "removeFromRelations"
  | "fence"
  | "beginRequest"
  | "renewRequest"
  | "deleteRequest";

/** A write in the format that is sent to the writer thread: documents as text, schemas reduced to names. */
export type EncodedWrite =
  | {
      kind: "restore";
      table: string;
      id: string;
      createdAt: string;
      updatedAt: string;
      doc: string;
      secret: string | null;
      readAcl: string | null;
      writeAcl: string | null;
    }
  | {
      kind: "create";
      table: string;
      id: string;
      at: string;
      updatedAt: string;
      doc: string;
      secret: string | null;
      readAcl: string | null;
      writeAcl: string | null;
    }
  | {
      kind: "update";
      table: string;
      id: string;
      at: string;
      operations: Record<string, Operation>;
      lists: ReadonlySet<string>;
      secret?: JsonObject;
      subjects: readonly string[] | null;
      pointers?: UserPointers;
      ifUpdatedAt?: string;
    }
  | {
      kind: "delete";
      table: string;
      className: string;
      id: string;
      subjects: readonly string[] | null;
      pointers?: UserPointers;
    }
  | { kind: "updateRelation"; className: string; id: string; key: string; add: string[]; remove: string[] }
  | Extract<Write, { kind: PlainKind }>
  | {
      kind: "saveReplies";
      key: string;
      contentHash: string;
      owner: string;
      expiresAt: number;
      isSubrequest: boolean;
      replies: { text: string; echo?: { table: string; id: string; fields: string[] } }[];
    };

/**
 * New objects of one table. The values of all rows are in one list, because texts are passed on much faster than
 * objects. Those of a row: id, creation, last update, ACL columns for reading and for writing, secret, and document.
 */
export interface EncodedCreates {
  table: string;
  values: (string | null)[];
}

/** The number of values of a row. */
export const CREATE_COLUMNS = 7;

export function encodeCreate({
  schema,
  id,
  at,
  updatedAt = at,
  object,
  secret,
}: CreateWrite): Extract<EncodedWrite, { kind: "create" }> {
  const { readAcl, writeAcl } = aclColumns(object);
  const doc = JSON.stringify(object);
  const secretText = secret && Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
  return {
    kind: "create",
    table: schema.table,
    id,
    at,
    updatedAt,
    readAcl,
    writeAcl,
    secret: secretText,
    doc,
  };
}

/** Returns a write in the format of the writer thread. Throws 107 for a string that PostgreSQL could not store. */
export function encodeWrite(write: Write): EncodedWrite {
  switch (write.kind) {
    case "create": {
      const encoded = encodeCreate(write);
      assertStorableJson(encoded.doc);
      return encoded;
    }
    case "restore": {
      const { schema, id, object, secret } = write;
      return {
        kind: "restore",
        table: schema.table,
        id,
        createdAt: String(object.createdAt),
        updatedAt: String(object.updatedAt),
        doc: JSON.stringify(object),
        secret: Object.keys(secret).length > 0 ? JSON.stringify(secret) : null,
        ...aclColumns(object),
      };
    }
    case "update": {
      const { schema, id, at, operations, secret, subjects, pointers, ifUpdatedAt } = write;
      const changesSecret = secret !== undefined && Object.keys(secret).length > 0;
      for (const path in operations) assertStorableOperation(operations[path]);
      return {
        kind: "update",
        table: schema.table,
        id,
        at,
        operations,
        lists: listsWithPaths(schema, operations),
        subjects,
        ...(pointers && { pointers }),
        ...(changesSecret && { secret }),
        ...(ifUpdatedAt !== undefined && { ifUpdatedAt }),
      };
    }
    case "delete":
      return {
        kind: "delete",
        table: write.schema.table,
        className: write.schema.className,
        id: write.id,
        subjects: write.subjects,
        ...(write.pointers && { pointers: write.pointers }),
      };
    case "updateRelation":
      assertStorableTexts([...write.add, ...write.remove]);
      return {
        kind: "updateRelation",
        className: write.schema.className,
        id: write.id,
        key: write.key,
        add: write.add,
        remove: write.remove,
      };
    case "saveReplies": {
      const { kind, key, contentHash, owner, expiresAt, isSubrequest = false } = write;
      const replies = write.replies.map(({ text, echo }) => ({
        text,
        ...(echo && { echo: { table: echo.schema.table, id: echo.id, fields: echo.fields } }),
      }));
      return { kind, key, contentHash, owner, expiresAt, isSubrequest, replies };
    }
    case "reserveUnique":
      assertStorableTexts([write.scope, write.value, write.owner]);
      return write;
    default:
      return write;
  }
}

function assertStorableOperation(operation: Operation | undefined): void {
  if (operation) valuesIn(operation).forEach(assertStorableTexts);
}

/** An escaped NUL, or half of a surrogate pair, in JSON. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Like `assertStorableTexts`, for the text of `JSON.stringify`, which is much faster to search. */
function assertStorableJson(json: string): void {
  if (json.includes("\\u") && UNSTORABLE.test(json)) throw unstorableTextError();
}
