import type { Logger } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";

/**
 * A data step of an application: the default export of a file in `migrations`. It runs once for a database. If it fails, the server
 * does not start, and the next start runs it again from the beginning: it has to skip what it has done already.
 */
export type Migration = (context: MigrationContext) => unknown;

export interface MigrationContext {
  objects: MigrationObjects;
  log: Pick<Logger, "info" | "warn">;
}

/**
 * Reads and writes objects with all permissions, without triggers, in the format of the REST API (dates as
 * `{ __type: "Date", iso }`). Conditions cannot have other queries (`$inQuery`). Methods reject with ProtocolError as the REST API
 * answers: 119 for a class that does not exist, 101 for a missing object, 111 for another type.
 */
export interface MigrationObjects {
  /** Reads all objects that match; `where` is empty by default. */
  find(className: string, where?: JsonObject): Promise<JsonObject[]>;
  /** Resolves with the id. */
  create(className: string, fields: JsonObject): Promise<string>;
  update(className: string, objectId: string, changes: JsonObject): Promise<void>;
  remove(className: string, objectId: string): Promise<void>;
  /**
   * Changes each object that matches, 200 in a transaction: `change` returns fields and operations, or undefined to leave an object as
   * it is. Resolves with the number of changed objects.
   */
  updateEach(
    className: string,
    where: JsonObject,
    change: (object: JsonObject) => JsonObject | undefined | Promise<JsonObject | undefined>,
  ): Promise<number>;
  /** Removes each object that matches. Resolves with their number. */
  removeEach(className: string, where: JsonObject): Promise<number>;
}
