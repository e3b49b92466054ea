import { ErrorCode, ProtocolError } from "@purse/protocol";
import { expect, it } from "vitest";
import { createLogger } from "../../core/logger.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { AddressSync } from "./addressSync.ts";

const schemaOf = (className: string): ClassSchema => ({
  className,
  table: className,
  fields: {},
  classLevelPermissions: {},
  indexes: {},
});

/** An address that is being synced, whose updates have these outcomes in turn. Returns whether each attempt failed. */
async function finishWith(outcomes: (ProtocolError | undefined)[], attempts: number): Promise<boolean[]> {
  const row = {
    objectId: "a",
    address: `0x${"ab".repeat(20)}`,
    chain: "0x1",
    tables: "Eth",
    is_syncing: true,
  };
  const unexpected = () => Promise.reject(new Error("only updates are expected"));
  const sync = new AddressSync({
    store: { find: async () => [JSON.stringify(row)], get: async () => undefined },
    schemas: { require: schemaOf },
    objects: {
      create: unexpected,
      remove: unexpected,
      async update() {
        if (outcomes.length === 0) throw new Error("it has been updated before");
        const error = outcomes.shift();
        if (error) throw error;
        return { status: 200, body: {} };
      },
    },
    chain: { status: () => [] },
    chains: { chainIdOf: () => 1, isFullyIndexed: () => true },
    userAddresses: "off",
    onChanged: async () => undefined,
    logger: createLogger({ level: "error", format: "text", write: () => undefined }),
  });
  await sync.addresses();
  const failures: boolean[] = [];
  for (let attempt = 0; attempt < attempts; attempt++)
    failures.push(
      await sync
        .finish(() => true)
        .then(
          () => false,
          () => true,
        ),
    );
  return failures;
}

it("AddressSync.finish() is repeated after the database was unavailable, until the address counts as synced", async () => {
  const unavailable = new ProtocolError(ErrorCode.CONNECTION_FAILED, "The database cannot be reached.", 503);
  expect(await finishWith([unavailable, unavailable, undefined], 4)).toEqual([true, true, false, false]);
});

it.each([
  ["has been removed", new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.")],
  ["cloud code does not change", new ProtocolError(ErrorCode.VALIDATION_ERROR, "It stays as it is.")],
])("AddressSync.finish() leaves out an address that %s", async (_, error) => {
  expect(await finishWith([error], 2)).toEqual([false, false]);
});
