import type { Moralis, ParseObject, User } from "@purse/client";
import { knownClasses } from "../data/classes.ts";
import type { ClassInfo } from "../data/useClasses.ts";
import { FILE_CLASS } from "../files/fileRecord.ts";

type Client = Pick<typeof Moralis, "Query">;

/** Private fields, omitted everywhere because records may embed their user. */
const SECRET_FIELDS: readonly string[] = ["sessionToken", "authData", "authDataResponse"];
/** Records are read in pages of this size. */
const PAGE_SIZE = 1_000;

/**
 * The classes that may have records of the user: those of the app, those viewed in this browser, and those that the
 * server lists.
 */
export function searchableClasses(listed: readonly ClassInfo[] = []): string[] {
  return [...new Set([FILE_CLASS, ...knownClasses(), ...listed.map(({ className }) => className)])];
}

/** The records that the user can write by name, by class. Missing classes have none. */
export async function ownRecords(
  client: Client,
  user: User,
  classes: readonly string[],
): Promise<ReadonlyMap<string, ParseObject[]>> {
  const entries = await Promise.all(
    classes.map(
      async (name): Promise<[string, ParseObject[]]> => [name, await ownRecordsOfClass(client, name, user)],
    ),
  );
  return new Map(entries.filter(([, records]) => records.length > 0));
}

/** Whether only the user can write a record. Such records are deleted with the account. */
export function isExclusiveTo(record: ParseObject, user: User): boolean {
  const acl = record.getACL();
  if (!acl) return false;
  const writers = Object.entries(acl.toJSON()).filter(([, { write }]) => write);
  return writers.length === 1 && writers[0]?.[0] === user.id;
}

async function ownRecordsOfClass({ Query }: Client, className: string, user: User): Promise<ParseObject[]> {
  const own: ParseObject[] = [];
  for (let last: string | undefined; ; ) {
    const query = new Query(className).ascending("objectId").limit(PAGE_SIZE);
    if (last !== undefined) query.greaterThan("objectId", last);
    const found = await query.find();
    own.push(...found.filter((record) => record.getACL()?.getWriteAccess(user) ?? false));
    last = found.at(-1)?.id;
    if (found.length < PAGE_SIZE) return own;
  }
}

/** Exports the user's data as JSON without credentials. */
export async function exportData(client: Client, user: User, classes: readonly string[]): Promise<string> {
  const [records, sessions] = await Promise.all([
    ownRecords(client, user, classes),
    new client.Query("_Session").find(),
  ]);
  const all = {
    exportedAt: new Date().toISOString(),
    user: user.toJSON(),
    sessions: sessions.map((session) => session.toJSON()),
    classes: Object.fromEntries(
      [...records].map(([name, list]) => [name, list.map((record) => record.toJSON())]),
    ),
  };
  return JSON.stringify(all, (key, value: unknown) => (SECRET_FIELDS.includes(key) ? undefined : value), 2);
}
