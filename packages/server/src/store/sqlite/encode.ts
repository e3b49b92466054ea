import type { JsonObject, Operation } from "@purse/protocol";
import { aclColumns } from "../sql/acl.ts";
import type { Write } from "../store.ts";
import type { UserPointers } from "../userPointers.ts";

/** A write step as it goes to the writer's thread: texts made, schemas reduced to their names. */
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
      secret?: JsonObject;
      principals: readonly string[] | null;
      pointers?: UserPointers;
      ifUpdatedAt?: string;
    }
  | {
      kind: "delete";
      table: string;
      className: string;
      id: string;
      principals: readonly string[] | null;
      pointers?: UserPointers;
    }
  | { kind: "relate"; className: string; id: string; key: string; add: string[]; remove: string[] }
  | Extract<Write, { kind: "claim" | "release" | "releaseAll" | "count" | "uncount" | "leave" }>;

export function encodeWrite(write: Write): EncodedWrite {
  switch (write.kind) {
    case "create": {
      const { schema, id, at, object, secret } = write;
      return {
        kind: "create",
        table: schema.table,
        id,
        at,
        doc: JSON.stringify(object),
        secret: secret && Object.keys(secret).length > 0 ? JSON.stringify(secret) : null,
        ...aclColumns(object),
      };
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
      const { schema, id, at, operations, secret, principals, pointers, ifUpdatedAt } = write;
      const changesSecret = secret !== undefined && Object.keys(secret).length > 0;
      return {
        kind: "update",
        table: schema.table,
        id,
        at,
        operations,
        principals,
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
        principals: write.principals,
        ...(write.pointers && { pointers: write.pointers }),
      };
    case "relate":
      return {
        kind: "relate",
        className: write.schema.className,
        id: write.id,
        key: write.key,
        add: write.add,
        remove: write.remove,
      };
    default:
      return write;
  }
}
